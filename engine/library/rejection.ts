/** A rejected definition: what was found, what was expected, and where, so that its author can correct it. */
import { NodewrightError, type Violation } from '../define/errors.ts';

export class Rejection extends NodewrightError {
  readonly found: string;
  readonly expected: string;

  constructor(found: string, expected: string, options: { violations?: readonly Violation[]; cause?: unknown } = {}) {
    super('INVALID_DEFINITION', `found ${found}; expected ${expected}`, options);
    this.found = found;
    this.expected = expected;
  }
}

/** Returns one rejection with several violations of a JSON definition. */
export function rejectDefinition(what: string, violations: readonly Violation[]): Rejection {
  const described = violations.map((violation) => `${violation.path}: ${violation.message}`).join('; ');
  return new Rejection(described, `${what} without these violations`, { violations });
}

/** Formats a value for use in a message, up to 120 characters. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return `a function${value.name === '' ? '' : ` ${value.name}`}`;
  if (value === undefined) return 'nothing';
  const text = typeof value === 'object' && value !== null ? briefly(value) : JSON.stringify(value);
  return String(text).slice(0, 120);
}

function briefly(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'an object';
  }
}
