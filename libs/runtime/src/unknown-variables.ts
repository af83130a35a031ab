import { editDistance } from './edit-distance.ts';
import { type Environment, type SettingsTable, settingNames } from './setting.ts';

const PREFIX = 'LOOPWARDEN_';

/** What steers the project's own tests, and reaches the processes that they start. */
const OF_TESTS = /^LOOPWARDEN_(TEST|REQUIRE|SIM|LAW)_/;

/**
 * What Kubernetes sets in every pod for each service, here for one whose name begins with the product's
 * (`enableServiceLinks`). `…_PORT` is told from a misspelt setting by its value.
 */
const OF_KUBERNETES = /_SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;

/**
 * A sentence on each variable of the product's name that no setting has, with the nearest name that one has: a
 * misspelt variable must not be silent. An empty one counts as not set.
 */
export function unknownVariables(table: SettingsTable, environment: Environment): readonly string[] {
  const known = Object.entries(table).map(([key, setting]) => settingNames(key, setting).environment);
  return Object.entries(environment)
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== '' && !isOfOthers(name, value))
    .map(([name]) => name)
    .filter((name) => !known.includes(name))
    .sort()
    .map((name) => sentenceOn(name, known));
}

function isOfOthers(name: string, value = ''): boolean {
  if (OF_TESTS.test(name) || OF_KUBERNETES.test(name)) return true;
  return name.endsWith('_PORT') && SERVICE_ADDRESS.test(value);
}

function sentenceOn(name: string, known: readonly string[]): string {
  const nearest = nearestTo(name.slice(PREFIX.length), known);
  const advice = nearest === null ? 'correct its name or remove it.' : `did you mean ${nearest}?`;
  return `${name} is no setting: ${advice}`;
}

/** The known name that most of a misspelt one is of; null: none is near. */
function nearestTo(word: string, known: readonly string[]): string | null {
  const near = known
    .map((name) => ({ name, distance: editDistance(word, name.slice(PREFIX.length)) }))
    .filter(({ name, distance }) => distance <= Math.max(word.length, name.length - PREFIX.length) / 2)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.name ?? null;
}
