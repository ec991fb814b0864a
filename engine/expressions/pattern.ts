/** Whether what somebody outside wrote is an expression at all; how it does when it is evaluated, `expressions.ts` sees to. */
import { invalid } from '../define/errors.ts';

export function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

export const NO_PATTERN = 'is no JavaScript regular expression';

/** @param path where it stands in the input @throws NodewrightError INVALID */
export function checkPattern(path: string, text: string): void {
  if (!isPattern(text)) throw invalid(path, NO_PATTERN);
}
