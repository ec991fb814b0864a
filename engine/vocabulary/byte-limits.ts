/** Bytes that others send, and that may have no end: passed through, or read, up to a limit. */

import { NodewrightError } from './errors.ts';

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

/** Reads them as UTF-8. @throws as `limitBytes` does */
export async function limitedText(
  bytes: AsyncIterable<Uint8Array>,
  limit: number,
  tooLong: () => Error,
): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of limitBytes(bytes, limit, tooLong)) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
