import { inject } from 'vitest';
import type { Addresses } from './services.ts';

/**
 * The broker and the registry of this test run, started at the first call; null where there is none, and then
 * the spec says `describe.skipIf(kafka === null)`. Topics and groups need names of their own (`uniqueName`):
 * the broker is shared.
 */
export async function kafkaUnderTest(): Promise<Addresses | null> {
  const provided = inject('kafka');
  if (provided === null) return null;
  const response = await fetch(provided.ask);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Addresses;
}

/** A name that no other spec and no other run uses. */
export function uniqueName(stem: string): string {
  return `${stem}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
}
