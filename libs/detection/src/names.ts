/** Texts that many records share, each kept once. A text goes when its last use does. */
export interface Names {
  readonly ids: Map<string, number>;
  readonly texts: string[];
  readonly uses: number[];
  /** Numbers that nothing uses. */
  readonly free: number[];
}

export function openNames(): Names {
  return { ids: new Map(), texts: [], uses: [], free: [] };
}

/** The number of a text, which has one use more now. */
export function takeName(names: Names, text: string): number {
  const id = names.ids.get(text) ?? addName(names, text);
  keepName(names, id);
  return id;
}

/** One use more of a text that is in use. */
export function keepName({ uses }: Names, id: number): void {
  uses[id] = (uses[id] as number) + 1;
}

/** One use of a text ends. */
export function dropName(names: Names, id: number): void {
  const left = (names.uses[id] as number) - 1;
  names.uses[id] = left;
  if (left > 0) return;
  names.ids.delete(nameText(names, id));
  names.free.push(id);
}

export function nameText(names: Names, id: number): string {
  return names.texts[id] as string;
}

function addName(names: Names, text: string): number {
  const id = names.free.pop() ?? names.texts.length;
  names.ids.set(text, id);
  names.texts[id] = text;
  names.uses[id] = 0;
  return id;
}
