/** Converts the result of an activity to the plain JSON that rows can hold. */
import { PermanentError } from '../../vocabulary/errors.ts';
import { checkJson } from '../../vocabulary/saved-json.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';

/** Outputs are input for other tasks; logs and images belong elsewhere. */
const OUTPUT_LIMIT = 256 * 1024;

export interface PlainValue {
  value: unknown;
  /** The same as a text. */
  json: string;
}

/** @throws PermanentError for a value that is not JSON or is too long: another attempt would not help */
export function plainValue(value: unknown): PlainValue {
  const text = jsonText(value);
  if (text.length <= OUTPUT_LIMIT) return { value: JSON.parse(text), json: text };
  throw new PermanentError(`the task returned ${text.length} characters of output; the limit is ${OUTPUT_LIMIT}`);
}

function jsonText(value: unknown): string {
  try {
    checkJson(value, 'output');
    return JSON.stringify(value ?? null);
  } catch (error) {
    throw new PermanentError(`the task returned an output that cannot be saved: ${messageOf(error)}`);
  }
}
