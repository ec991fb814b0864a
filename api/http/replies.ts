/** The replies that many routes give, with the status of the route's `answer`. */
import type { PagedList } from '../../engine/api-port/index.ts';
import type { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { requireFound } from './rejections.ts';
import type { Reply } from './route.ts';

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
