/** A rejected definition: what was found, what was expected, and where, so that its author can correct it. */
import { NodewrightError, type Violation, violationList } from '../../vocabulary/errors.ts';

export class Rejection extends NodewrightError {
  readonly found: string;
  readonly expected: string;
  /** The place in the definition, such as `states.a.invoke`; empty: unknown. */
  readonly place: string;

  constructor(actual: string, expected: string, options: RejectionOptions = {}) {
    super('INVALID_DEFINITION', `found ${actual}; expected ${expected}`, options);
    this.found = actual;
    this.expected = expected;
    this.place = options.place ?? '';
  }
}

interface RejectionOptions {
  violations?: readonly Violation[];
  cause?: unknown;
  place?: string;
}

/** Collects rejections, so that an author sees all of them together. */
export class RejectionList {
  readonly #rejections: Rejection[] = [];

  /** @returns the result; undefined if it was rejected */
  try<T>(make: () => T): T | undefined {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      this.#rejections.push(error);
      return undefined;
    }
  }

  /** @throws Rejection: the only one, or one with the violations of all */
  throw(what: string): void {
    const [first, ...others] = this.#rejections;
    if (first === undefined) return;
    throw others.length === 0 ? first : rejectDefinition(what, this.#rejections.flatMap(violationsOf));
  }
}

/** Returns the violations of a rejection; one that has none is its own. */
export const violationsOf = ({ violations, place, message }: Rejection): readonly Violation[] =>
  violations ?? [{ path: place, message }];

/** Returns one rejection with several violations of a JSON definition. */
export function rejectDefinition(what: string, violations: readonly Violation[]): Rejection {
  return new Rejection(violationList(violations), `${what} without these violations`, { violations });
}

/** @throws Rejection if there are any */
export function rejectFound(violations: readonly Violation[]): void {
  if (violations.length > 0) throw rejectDefinition('a graph', violations);
}

/** Formats a value for use in a message, up to 120 characters. */
export function shownJson(value: unknown): string {
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
