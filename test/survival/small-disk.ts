import { run } from '../setup/processes.ts';

/** A disk of its own, in memory. */
interface SmallDisk {
  resize(megabytes: number): Promise<void>;
  remove(): Promise<void>;
}

/** Makes one at the folder; null: this user may not. */
export async function smallDisk(dir: string, megabytes: number): Promise<SmallDisk | null> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir]);
  } catch {
    return null;
  }
  return {
    resize: async (size) => void (await run('mount', ['-o', `remount,size=${size}m`, dir])),
    remove: async () => void (await run('umount', ['--lazy', dir])),
  };
}
