import { LogError } from '../log.ts';
import { idIn, pathOf } from './registry.ts';
import { type AskRegistry, type RegistryOptions, registryClient } from './registry-client.ts';

/** The versions of one record that were published, for one subject of a registry. */
export interface SubjectSpec {
  readonly subject: string;
  readonly compatibility: 'BACKWARD_TRANSITIVE' | 'FULL_TRANSITIVE';
  /** Parsed schemas, oldest first. */
  readonly versions: readonly unknown[];
}

/** What a registry says of one published version, 1 the oldest. */
export interface SchemaState {
  readonly subject: string;
  readonly version: number;
  readonly state: 'registered' | 'new' | 'incompatible';
  /** Null unless registered. */
  readonly id: number | null;
}

/** A subject whose compatibility in the registry is not the declared one. `actual` null: it has none of its own. */
export interface CompatibilityDrift {
  readonly subject: string;
  readonly expected: string;
  readonly actual: string | null;
}

export interface SchemaCheck {
  readonly schemas: readonly SchemaState[];
  readonly drift: readonly CompatibilityDrift[];
}

/**
 * Registers what is missing, oldest version first, each subject under its declared compatibility, which the
 * registry then enforces. Rejects with `refused` at the first version that it does not take.
 */
export async function registerSchemas(
  options: RegistryOptions,
  subjects: readonly SubjectSpec[],
): Promise<readonly SchemaState[]> {
  const ask = registryClient(options);
  const states: SchemaState[] = [];
  for (const { subject, compatibility, versions } of subjects) {
    await ask({ method: 'PUT', path: configOf(subject), body: { compatibility } });
    for (const [index, schema] of versions.entries()) {
      const answer = await ask({ path: `${pathOf(subject)}/versions`, body: bodyOf(schema) });
      if (answer === null) throw missing(subject);
      states.push({ subject, version: index + 1, state: 'registered', id: idIn(answer) });
    }
  }
  return states;
}

/** What `registerSchemas` would meet. Changes nothing. */
export async function checkSchemas(
  options: RegistryOptions,
  subjects: readonly SubjectSpec[],
): Promise<SchemaCheck> {
  const ask = registryClient(options);
  const schemas: SchemaState[] = [];
  const drift: CompatibilityDrift[] = [];
  for (const spec of subjects) {
    for (const [index, schema] of spec.versions.entries()) {
      schemas.push(await stateOf(ask, { subject: spec.subject, version: index + 1, schema }));
    }
    const config = await ask({ path: configOf(spec.subject) });
    const actual = config === null ? null : String(config.compatibilityLevel);
    if (actual !== spec.compatibility) {
      drift.push({ subject: spec.subject, expected: spec.compatibility, actual });
    }
  }
  return { schemas, drift };
}

async function stateOf(
  ask: AskRegistry,
  { subject, version, schema }: { subject: string; version: number; schema: unknown },
): Promise<SchemaState> {
  const registered = await ask({ path: pathOf(subject), body: bodyOf(schema) });
  if (registered !== null) return { subject, version, state: 'registered', id: idIn(registered) };
  const verdict = await ask({
    path: `/compatibility${pathOf(subject)}/versions/latest`,
    body: bodyOf(schema),
  });
  // No verdict: the subject has no version yet to be compatible with.
  const fits = verdict === null || verdict.is_compatible === true;
  return { subject, version, state: fits ? 'new' : 'incompatible', id: null };
}

function configOf(subject: string): string {
  return `/config/${encodeURIComponent(subject)}`;
}

function bodyOf(schema: unknown): { schema: string } {
  return { schema: JSON.stringify(schema) };
}

function missing(subject: string): LogError {
  return new LogError(
    'refused',
    `The schema registry does not take the subject ${subject}. Check its address.`,
  );
}
