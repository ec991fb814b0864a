/** Bytes that others send, and that may have no end: passed through, or read, up to a limit. */

import { NodewrightError } from './errors.ts';
import { KIB } from './units.ts';

/** The rejection of a request whose body is longer. */
export const bodyTooLong = (limit: number) => (): NodewrightError =>
  new NodewrightError('TOO_LARGE', `The body is longer than ${limit} bytes; send less`);

/** @throws the error of `tooLong` before the part that exceeds the limit */
export async function* limitBytes(
  bytes: AsyncIterable<Uint8Array>,
  limit: number,
  tooLong: () => Error,
): AsyncGenerator<Uint8Array> {
  let remainingBytes = limit;
  for await (const part of bytes) {
    remainingBytes -= part.length;
    if (remainingBytes < 0) throw tooLong();
    yield part;
  }
}

/** Bytes of a file that are read for what they say of it. */
export const FILE_HEAD = 64 * KIB;

/** Reads them all, and drops those after the first ones. @throws as `limitBytes` does */
export async function beginningOf(
  bytes: AsyncIterable<Uint8Array>,
  headLimit: number,
  limit: number,
  tooLong: () => Error,
): Promise<{ head: Buffer; size: number }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of limitBytes(bytes, limit, tooLong)) {
    if (size < headLimit) parts.push(part.subarray(0, headLimit - size));
    size += part.length;
  }
  return { head: Buffer.concat(parts), size };
}

/** Reads them as UTF-8. @throws as `limitBytes` does */
export async function limitedText(
  bytes: AsyncIterable<Uint8Array>,
  limit: number,
  tooLong: () => Error,
): Promise<string> {
  return (await beginningOf(bytes, limit, limit, tooLong)).head.toString('utf8');
}
