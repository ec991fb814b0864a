/** Replies with file content: whole, a single range, or 304 if the client has it (RFC 9110). */
import type { FileContent } from '../../engine/api-port/index.ts';
import type { SentReply } from './route.ts';

export interface ByteRange {
  /** Offsets of the first and the last byte. */
  start: number;
  end: number;
}

/**
 * @param header value of the Range header
 * @returns undefined: the whole content, also when the header is not a single byte range; null: an unsatisfiable range
 */
export function rangeOf(header: string, size: number): ByteRange | undefined | null {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim()) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '')
    return Number(to) === 0 || size === 0 ? null : { start: Math.max(0, size - Number(to)), end: size - 1 };
  if (to !== '' && Number(to) < Number(from)) return undefined;
  if (Number(from) >= size) return null;
  return { start: Number(from), end: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

/** @param tag as `etagOf` returns it */
export const hasTag = (header: string, tag: string): boolean =>
  header.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')));

export const etagOf = (sha256: string): string => `"${sha256}"`;

/** @param header returns a request header by name @param type media type of the content */
export function contentReply(
  { size, sha256, open }: FileContent,
  header: (name: string) => string,
  type: string,
): SentReply {
  const etag = etagOf(sha256);
  const shared = { ETag: etag, 'Accept-Ranges': 'bytes' };
  if (hasTag(header('if-none-match'), etag)) return { status: 304, headers: shared };
  // The client would combine a range of another version with this one.
  const isSame = ['', etag].includes(header('if-range').trim());
  const range = isSame ? rangeOf(header('range'), size) : undefined;
  if (range === null) return { status: 416, headers: { ...shared, 'Content-Range': `bytes */${size}` } };
  const headers = { ...shared, 'Content-Type': type };
  if (range === undefined) {
    return {
      status: 200,
      body: size === 0 ? Buffer.alloc(0) : open(),
      headers: { ...headers, 'Content-Length': String(size) },
    };
  }
  const { start, end } = range;
  const part = { 'Content-Range': `bytes ${start}-${end}/${size}`, 'Content-Length': String(end - start + 1) };
  return { status: 206, body: open(range), headers: { ...headers, ...part } };
}
