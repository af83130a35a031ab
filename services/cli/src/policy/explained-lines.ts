import type { Explained } from '@loopwarden/detection';
import type { Output } from '../terminal/output.ts';
import { tableLines } from '../terminal/table.ts';
import { settingText } from './setting-text.ts';

/** Every setting in force, and where it comes from, as a table. */
export function explainedLines(settings: readonly Explained[], { paint }: Output): readonly string[] {
  return tableLines<Explained>(
    [
      { title: 'SETTING', align: 'left', cell: ({ setting }) => setting },
      {
        title: 'VALUE',
        align: 'right',
        cell: ({ setting, value }) => settingText(setting, value),
        paint: (text) => paint('bold', text),
      },
      { title: 'FROM', align: 'left', cell: ({ source }) => source },
      { title: '', align: 'left', cell: ({ note }) => note ?? '', paint: (text) => paint('dim', text) },
    ],
    settings,
    (title) => paint('dim', title),
  );
}
