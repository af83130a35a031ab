import {
  checkSchemas,
  type RegistryOptions,
  registerSchemas,
  type SchemaCheck,
  type SchemaState,
  writeSchemaIds,
} from '@loopwarden/stream/kafka';
import { registrySubjects } from '@loopwarden/wire';
import { Command } from 'commander';
import { commandConfig } from '../config/command-config.ts';
import type { Options } from '../config/load-config.ts';
import { withSettings } from '../config/setting-flags.ts';
import type { Config } from '../config/settings.ts';
import { EXIT } from '../exit-code.ts';
import { registryAccess } from '../kafka/kafka-access.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { reportLogError } from '../with-log.ts';
import { reportError } from './report-error.ts';

const CHECK = {
  description: 'Asks the registry whether it takes the schemas. Changes nothing.',
  help: `
Exit status: 0 when the registry takes every schema, 1 when one is incompatible or a subject has another compatibility.`,
};

const REGISTER = {
  description: 'Registers the schemas.',
  help: `
Sets each subject's compatibility, registers what is missing, and writes the ids to registry.idFile if that is set: a
service that has the file starts while the registry is away. Services themselves never register anything.`,
};

interface Texts {
  readonly description: string;
  readonly help: string;
}

/** The record schemas in a schema registry. */
export function schemasCommand(output: Output = terminalOutput): Command {
  const schemas = new Command('schemas')
    .summary('register and check the record schemas')
    .description('Registers and checks the record schemas.');
  const subcommand = (name: string, { description, help }: Texts, task: Task): Command =>
    withSettings(
      schemas.command(name).description(description).option('--json', 'print one object per schema'),
    )
      .addHelpText('after', help)
      .action(async (options: { json?: boolean }) => {
        process.exitCode = await run({ ...options }, output, task);
      });
  subcommand('check', CHECK, check);
  subcommand('register', REGISTER, register);
  return schemas;
}

/** What a task works with. */
interface Work {
  readonly registry: RegistryOptions;
  readonly config: Config;
  readonly output: Output;
  readonly json: boolean;
}

type Task = (work: Work) => Promise<number>;

async function run(options: Options, output: Output, task: Task): Promise<number> {
  const loaded = commandConfig(options, 'operate', output);
  if (!loaded.ok) return reportError(loaded.error, output);
  const { config } = loaded.value;
  const registry = configured(config);
  if (!registry.ok) return reportError(registry.error, output);
  try {
    return await task({ registry: registry.value, config, output, json: options.json === true });
  } catch (error) {
    return reportLogError(error, output);
  }
}

function configured(config: Config): Outcome<RegistryOptions> {
  const registry = registryAccess(config);
  if (registry !== null) return succeed(registry);
  return refuse(
    'no_registry',
    'registry.url is not set. Name the registry, for example with --registry-url.',
  );
}

async function check({ registry, config, output, json }: Work): Promise<number> {
  const found = await checkSchemas(registry, registrySubjects(config.topics.prefix));
  show(found.schemas, json, output);
  for (const { subject, expected, actual } of found.drift) {
    if (!json) output.out(`${subject}: compatibility is ${actual ?? 'not set'}, declared is ${expected}.`);
  }
  return fits(found) ? EXIT.clean : EXIT.failed;
}

/** A subject without a compatibility of its own gets it when it is registered. */
function fits({ schemas, drift }: SchemaCheck): boolean {
  return (
    schemas.every(({ state }) => state !== 'incompatible') && drift.every(({ actual }) => actual === null)
  );
}

async function register({ registry, config, output, json }: Work): Promise<number> {
  const registered = await registerSchemas(registry, registrySubjects(config.topics.prefix));
  show(registered, json, output);
  const { idFile } = config.registry;
  if (idFile !== null) {
    const ids = registered.flatMap(({ subject, version, id }) =>
      id === null ? [] : [{ subject, version, id }],
    );
    await writeSchemaIds(idFile, ids);
    if (!json) output.out(`The ids are in ${idFile}.`);
  }
  return EXIT.clean;
}

const COLUMNS: readonly Column<SchemaState>[] = [
  { title: 'SUBJECT', align: 'left', cell: ({ subject }) => subject },
  { title: 'VERSION', align: 'right', cell: ({ version }) => String(version) },
  { title: 'STATE', align: 'left', cell: ({ state }) => state },
  { title: 'ID', align: 'right', cell: ({ id }) => (id === null ? '–' : String(id)) },
];

function show(schemas: readonly SchemaState[], json: boolean, { out, paint }: Output): void {
  const lines = json
    ? schemas.map((one) => jsonText(one))
    : tableLines(COLUMNS, schemas, (title) => paint('dim', title));
  for (const line of lines) out(line);
}
