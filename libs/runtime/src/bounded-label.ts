/**
 * Bounds a label's values: the first `most` distinct ones keep their names, later ones are `other`. Every
 * series costs memory here and in whatever scrapes it, and some names come from users.
 */
export function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return 'other';
    known.add(value);
    return value;
  };
}
