export type PlainObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object by its built-in tag: class instances are, arrays, errors, dates and maps are not. */
export function isPlainObject(value: unknown): value is PlainObject {
  return (
    typeof value === 'object' && value !== null && Object.prototype.toString.call(value) === '[object Object]'
  );
}
