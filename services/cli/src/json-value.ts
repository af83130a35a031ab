export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a key of something that may not be an object. */
export function at(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

export function stringAt(value: unknown, key: string): string | null {
  const found = at(value, key);
  return typeof found === 'string' ? found : null;
}

export function objectsAt(value: unknown, key: string): readonly JsonObject[] {
  const found = at(value, key);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** Parsed JSON, or undefined where the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
