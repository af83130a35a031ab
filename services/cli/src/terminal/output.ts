import { styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'magenta';

/** Where a command writes. Colours appear on a terminal only, and not with NO_COLOR. */
export interface Output {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  readonly paint: (style: Style, text: string) => string;
}

export const terminalOutput: Output = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  paint: (style, text) => styleText(style, text, { stream: process.stdout }),
};
