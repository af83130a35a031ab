import { readFile, rename, writeFile } from 'node:fs/promises';
import { LogError } from '../log.ts';
import type { SubjectSpec } from './registration.ts';
import type { SchemaRegistry } from './registry.ts';

/** The id under which a version of a subject stands in a registry. */
export interface SchemaId {
  readonly subject: string;
  /** 1 the oldest. */
  readonly version: number;
  readonly id: number;
}

const FORMAT = 1;

/** Writes an id file, whole or not at all: with it, a process starts while the registry is away. */
export async function writeSchemaIds(file: string, ids: readonly SchemaId[]): Promise<void> {
  const lines = ids.map(({ subject, version, id }) => JSON.stringify({ subject, version, id }));
  const text = `{"format":${FORMAT},"ids":[\n${lines.join(',\n')}\n]}\n`;
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, text);
  await rename(partial, file);
}

/** Reads an id file. Rejects with `corrupt` where there is none. */
export async function readSchemaIds(file: string): Promise<readonly SchemaId[]> {
  try {
    const content = JSON.parse(await readFile(file, 'utf8')) as { format?: unknown; ids?: unknown };
    if (content.format === FORMAT && Array.isArray(content.ids) && content.ids.every(isSchemaId)) {
      return content.ids;
    }
    throw new Error('it has another format');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const sentence = `The schema ids in ${file} cannot be read: ${reason}. Write them anew with "loopwarden schemas register".`;
    throw new LogError('corrupt', sentence, { cause: error });
  }
}

/**
 * The ids of all versions of all subjects: those of the file, and for what it does not hold those of the registry.
 * Versions that are nowhere are left out, but for each subject's newest, which is written: that rejects with
 * `refused`. Rejects with `unavailable` when the registry is needed and cannot be reached.
 */
export async function findSchemaIds(
  subjects: readonly SubjectSpec[],
  from: { file: readonly SchemaId[]; registry: SchemaRegistry | null },
): Promise<readonly SchemaId[]> {
  const known = new Map(from.file.map((entry) => [`${entry.subject} ${entry.version}`, entry]));
  const found: SchemaId[] = [];
  for (const { subject, versions } of subjects) {
    for (const [index, schema] of versions.entries()) {
      const version = index + 1;
      const id =
        known.get(`${subject} ${version}`)?.id ?? (await from.registry?.idOf(subject, schema)) ?? null;
      if (id !== null) found.push({ subject, version, id });
      else if (version === versions.length) throw notRegistered(subject, version);
    }
  }
  return found;
}

function notRegistered(subject: string, version: number): LogError {
  const sentence = `Version ${version} of ${subject} is not registered. Register it with "loopwarden schemas register".`;
  return new LogError('refused', sentence);
}

function isSchemaId(entry: unknown): entry is SchemaId {
  if (typeof entry !== 'object' || entry === null) return false;
  const { subject, version, id } = entry as Record<string, unknown>;
  return typeof subject === 'string' && Number.isInteger(version) && Number.isInteger(id);
}
