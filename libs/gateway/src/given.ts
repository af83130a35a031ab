import { GatewayError } from './gateway-error.ts';

// What a host gave, whose compiler may not have looked at it. Every check refuses with `bad_option`, names the option
// and says what to give.

type Fields = Readonly<Record<string, unknown>>;

export function refuse(sentence: string): never {
  throw new GatewayError('bad_option', sentence);
}

/** Whether an option was given at all; null counts as left out. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** A value in a few words, whatever it is. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    case 'object':
      return value === null ? 'null' : 'an object';
    case 'function':
      return 'a function';
    default:
      return String(value);
  }
}

/** An object's fields, to be looked at one by one. */
export function fieldsOf(option: string, value: unknown): Fields {
  if (typeof value === 'object' && value !== null) return value as Fields;
  return refuse(`${option} is ${shown(value)}; give an object.`);
}

export function checkText(option: string, value: unknown): void {
  if (typeof value === 'string' && value.trim() !== '') return;
  refuse(`${option} is ${typeof value === 'string' ? 'blank' : shown(value)}; give a text.`);
}

export function checkTexts(option: string, value: unknown): void {
  if (!Array.isArray(value)) refuse(`${option} is ${shown(value)}; give a list of texts.`);
  value.forEach((text, at) => {
    checkText(`${option}[${at}]`, text);
  });
}

/** A misspelt choice would silently mean the other one. */
export function checkChoice(option: string, value: unknown, choices: readonly string[]): void {
  if (typeof value === 'string' && choices.includes(value)) return;
  refuse(`${option} is ${shown(value)}; choose one of ${choices.join(', ')}.`);
}

/** A number from 1 to `most`, which is finite: what has no bound fills the memory. */
export function checkNumber(option: string, value: unknown, most: number = Number.MAX_SAFE_INTEGER): void {
  if (typeof value === 'number' && value >= 1 && value <= most) return;
  refuse(`${option} is ${shown(value)}; give a number from 1 to ${most}.`);
}

/** @param value undefined and null: left out */
export function checkFunction(option: string, value: unknown): void {
  if (isGiven(value) && typeof value !== 'function') refuse(`${option} is ${shown(value)}; give a function.`);
}
