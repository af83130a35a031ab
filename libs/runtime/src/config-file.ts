import { readFileSync } from 'node:fs';
import JSON5 from 'json5';
import { type ConfigFault, fault } from './config.ts';

type ConfigFile =
  | { readonly ok: true; readonly file: unknown }
  | { readonly ok: false; readonly fault: ConfigFault };

/** Reads a configuration file, JSON with comments and trailing commas (JSON5), to hand to `resolveConfig`. */
export function readConfigFile(path: string): ConfigFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { ok: false, fault: fault(path, `cannot be read (${(error as NodeJS.ErrnoException).code}).`) };
  }
  try {
    return { ok: true, file: JSON5.parse(text) };
  } catch (error) {
    return { ok: false, fault: fault(path, `is not valid JSON5: ${(error as Error).message}.`) };
  }
}
