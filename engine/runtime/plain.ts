/** What an act gave, as the plain JSON that rows can hold. */
import { PermanentError } from '../define/errors.ts';

/** An output is for the next task to read; logs and images belong elsewhere. */
const OUTPUT_LIMIT = 256 * 1024;

export interface Plain {
  value: unknown;
  /** The same as a text. */
  json: string;
}

/** @throws PermanentError for what is no JSON, or too long: trying again would not help */
export function plain(value: unknown): Plain {
  const text = JSON.stringify(value ?? null);
  if (text === undefined) throw new PermanentError(`the task gave a ${typeof value}, which is no JSON value`);
  if (text.length <= OUTPUT_LIMIT) return { value: JSON.parse(text), json: text };
  throw new PermanentError(`the task gave ${text.length} characters of output; at most ${OUTPUT_LIMIT} are kept`);
}
