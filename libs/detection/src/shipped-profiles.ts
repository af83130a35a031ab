import { isPlainObject, type PlainObject } from './plain-object.ts';
import { PLAIN_PROFILE, type ResultParts, type ToolProfile } from './tool-profile.ts';

/** The tools of OpenClaw 2026.7, as that release compares them. */
export const SHIPPED_VERSION = 'openclaw-2026.7';

export const SHIPPED_ALIASES: ReadonlyMap<string, string> = new Map([
  ['bash', 'exec'],
  ['apply-patch', 'apply_patch'],
]);

const SEND_ACTIONS = [
  'send',
  'broadcast',
  'reply',
  'thread-reply',
  'sendWithEffect',
  'sendAttachment',
  'upload-file',
  'sticker',
  'poll',
];

export const SHIPPED_PROFILES_BY_TOOL: ReadonlyMap<string, ToolProfile> = new Map<string, ToolProfile>([
  ['command_status', { ...PLAIN_PROFILE, polls: 'all' }],
  ['exec', { ...PLAIN_PROFILE, reduce: reduceExec }],
  [
    'process',
    {
      ...PLAIN_PROFILE,
      polls: { field: 'action', values: new Set(['poll', 'log']) },
      reduce: reduceProcess,
    },
  ],
  ['message', { ...PLAIN_PROFILE, sends: { field: 'action', values: new Set(SEND_ACTIONS) } }],
  ['sessions_send', { ...PLAIN_PROFILE, sends: 'all' }],
]);

/** Durations, process ids and session ids of a command never count, the visible text only when it has ended. */
function reduceExec({ details, text }: ResultParts): PlainObject | undefined {
  const { status } = details;
  switch (status) {
    case 'running':
      return { status, tail: stringOr(details.tail, '') };
    case 'completed':
    case 'failed':
      return {
        status,
        exitCode: typeof details.exitCode === 'number' ? details.exitCode : null,
        timedOut: details.timedOut === true,
        output: stringOr(details.aggregated, '').trim() || text,
      };
    case 'approval-pending':
    case 'approval-unavailable':
      return {
        status,
        reason: stringOr(details.reason, null),
        host: stringOr(details.host, null),
        command: stringOr(details.command, ''),
        warningText: stringOr(details.warningText, ''),
      };
    default:
      return undefined;
  }
}

/** `status` stays undefined when missing, the other fields become null: that is how the reference digests them. */
function reduceProcess({ args, details, text }: ResultParts): PlainObject | undefined {
  const action = isPlainObject(args) ? args.action : undefined;
  const { status, exitCode = null, exitSignal = null, aggregated = null } = details;
  if (action === 'poll') {
    return { action, status, exitCode, exitSignal, aggregated, text };
  }
  if (action === 'log') {
    const { totalLines = null, totalChars = null, truncated = null } = details;
    return { action, status, totalLines, totalChars, truncated, exitCode, exitSignal, text };
  }
  return undefined;
}

function stringOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other;
}
