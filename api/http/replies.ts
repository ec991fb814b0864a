/** The replies that many routes give, with the status of the route's `answer`. */

import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { PagedList } from '../../engine/api-port/index.ts';
import { invalidInput, type NodewrightError } from '../../engine/vocabulary/errors.ts';
import { requireFound } from './rejections.ts';
import type { Call, Reply } from './route.ts';

export const listReply = <T>({ items, total }: PagedList<T>, view: (item: T) => unknown): Reply => ({
  body: items.map((item) => view(item)),
  total,
});

/** @throws the error that `missing` creates, if there is no record */
export const recordReply = <T>(
  record: T | undefined,
  view: (record: T) => unknown,
  missing: () => NodewrightError,
): Reply => ({
  body: view(requireFound(record, missing)),
});

/** @param found whether there was one to remove @throws the error that `missing` creates, if not */
export function removalReply(found: boolean, missing: () => NodewrightError): Reply {
  if (!found) throw missing();
  return {};
}

/** The answer of a route that sends an archive. @param contentType such as `application/zip` */
export const archiveAnswer = (contentType: string) => ({
  status: 200,
  schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }),
  contentType,
});

/** @param name of the file that a browser saves */
export const archiveReply = (body: Readable, contentType: string, name: string): Reply => ({
  body,
  headers: { 'Content-Type': contentType, 'Content-Disposition': `attachment; filename="${name}"` },
});

/** ms after which a reader of a stream that takes nothing is disconnected. */
const READER_TIMEOUT_MS = 20_000;

/** Server-Sent Events. */
export const streamReply = (body: Readable): Reply => ({
  body,
  headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  stallMs: READER_TIMEOUT_MS,
});

/** Returns where a reader of a stream continues. A browser repeats the address of its first request, so the header takes precedence over `after`. */
export function lastEventId({ header }: Pick<Call, 'header'>): number | undefined {
  const given = header('last-event-id').trim();
  if (given === '') return undefined;
  const position = Number(given);
  if (/^\d+$/.test(given) && Number.isSafeInteger(position)) return position;
  throw invalidInput('Last-Event-ID', 'is not the `seq` of an event; expected a whole number');
}
