/** Replies that are bytes: whole or one range of them, or none when the client has them already (RFC 9110). */
import type { FileContent } from '../engine/api-port/index.ts';
import type { Reply } from './route.ts';

export interface Range {
  /** The first and the last byte. */
  start: number;
  end: number;
}

/**
 * @param header of the request
 * @returns undefined: all of it, also for what is no single range of bytes; null: a range that is not in it
 */
export function rangeOf(header: string, size: number): Range | undefined | null {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim()) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '')
    return Number(to) === 0 || size === 0 ? null : { start: Math.max(0, size - Number(to)), end: size - 1 };
  if (to !== '' && Number(to) < Number(from)) return undefined;
  if (Number(from) >= size) return null;
  return { start: Number(from), end: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

const hasTag = (header: string, tag: string): boolean =>
  header.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')));

/** @param header gives a header of the request. @param type of the content */
export function contentReply(
  { size, sha256, open }: FileContent,
  header: (name: string) => string,
  type: string,
): Reply {
  const etag = `"${sha256}"`;
  const shared = { ETag: etag, 'Accept-Ranges': 'bytes', 'X-Content-Type-Options': 'nosniff' };
  if (hasTag(header('if-none-match'), etag)) return { status: 304, headers: shared };
  // A range of another version would be put together with this one's.
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
