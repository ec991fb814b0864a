/** Errors about the use of the author's kit: what was found, what was expected, and what to do. */
import { NodewrightError } from '../vocabulary/errors.ts';

export const misuse = (actual: string, expected: string, advice: string): NodewrightError =>
  new NodewrightError('INVALID', `found ${actual}; expected ${expected}; ${advice}`);

/** The same about the state of a simulated workflow. */
export const unfitError = (actual: string, expected: string, advice: string): NodewrightError =>
  new NodewrightError('CONFLICT', `found ${actual}; expected ${expected}; ${advice}`);

/** Returns names for a message, the first twenty of them. */
export function namesText(names: Iterable<string>): string {
  const all = [...names];
  const more = all.length > 20 ? `, and ${all.length - 20} more` : '';
  return all.length === 0 ? '(none)' : `${all.slice(0, 20).join(', ')}${more}`;
}
