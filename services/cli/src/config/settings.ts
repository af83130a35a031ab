import {
  type ConfigOf,
  detectorRelations,
  detectorSettings,
  logRelations,
  logSettings,
  processRelations,
  processSettings,
  type Relation,
  settingsTable,
} from '@loopwarden/runtime';

/** What commands of operators need besides the log. */
const operatorSettings = settingsTable({
  'operator.signingKey': {
    type: 'string',
    default: null,
    text: 'File of the private key that policies and releases are signed with.',
  },
  'digest.secret': {
    type: 'secret',
    default: null,
    text: 'Key of the HMAC that gateways make digests with; not set: plain SHA-256.',
  },
});

/** Every setting of every command that opens a log. */
export const settings = settingsTable({
  ...logSettings,
  ...processSettings,
  ...detectorSettings,
  ...operatorSettings,
});

export type Config = ConfigOf<typeof settings>;

/** What a command does with a log decides what must hold of its configuration. */
export type Purpose =
  /** Reads, or writes as an operator. */
  | 'operate'
  /** Starts a detector and serves health. */
  | 'serve';

export function relationsFor(purpose: Purpose): readonly Relation<Config>[] {
  return purpose === 'operate' ? logRelations : [...logRelations, ...processRelations, ...detectorRelations];
}
