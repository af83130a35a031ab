import type { Finding } from './finding.ts';

/**
 * The text that the model reads: what was seen, how often, what happens now and what to do instead. Starts
 * with `CRITICAL` or `WARNING`, as the messages of OpenClaw 2026.7 do.
 */
export function messageOf(finding: Finding): string {
  switch (finding.action) {
    case 'abort':
      return abortMessage(finding);
    case 'block':
      return `CRITICAL: ${evidence(finding)} The call was refused and did not run. ${advice(finding)}`;
    case 'warn':
      return `WARNING: ${evidence(finding)} ${advice(finding)}`;
  }
}

function abortMessage({ match, count, threshold }: Finding): string {
  return (
    `CRITICAL: after the context was compacted, ${match.tool} was called ${count} times in a row with the same ` +
    `arguments and the same outcome (limit ${threshold}). The compaction did not break the loop, so the run is aborted.`
  );
}

function evidence({ detector, match, count, pairedTool, missingTool, action }: Finding): string {
  switch (detector) {
    case 'unknown_tool_repeat':
      return `the tool ${missingTool} does not exist and was tried ${count} times.`;
    case 'known_poll_no_progress':
      return `${match.tool} was polled ${count} times and nothing changed.`;
    case 'ping_pong':
      return `${count} calls alternate between the same two requests (${match.tool} and ${pairedTool}).`;
    case 'generic_repeat':
      return action === 'warn'
        ? `${match.tool} was called ${count} times with the same arguments.`
        : `${match.tool} was called ${count} times with the same arguments and the same outcome.`;
    default:
      return `${match.tool} brought the same outcome ${count} times for the same arguments.`;
  }
}

function advice({ detector, action }: Finding): string {
  switch (detector) {
    case 'unknown_tool_repeat':
      return 'Stop retrying it; use a tool that is available or answer without it.';
    case 'known_poll_no_progress':
      return action === 'warn'
        ? 'Wait longer between polls, do something else meanwhile, or report that the task is stuck.'
        : 'Stop polling; report that the task is stuck or try another way.';
    case 'ping_pong':
      return 'Stop alternating; change the approach or report what keeps you from going on.';
    default:
      return action === 'warn'
        ? 'If this makes no progress, change the arguments or the approach, or report that you are stuck.'
        : 'Do not repeat it; change the arguments or the approach, or report that you are stuck.';
  }
}
