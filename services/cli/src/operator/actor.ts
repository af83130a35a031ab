import { userInfo } from 'node:os';

/** Who acts: as named, else the user of the operating system. */
export function actorOf(named: string | undefined): string {
  return named ?? systemUser();
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no user has.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
