/** Lists: pages by `$skip` and `$top`, order by `sort`, and the filters of `list-filter.ts`. */

import { type TObject, type TSchema, Type } from 'typebox';
import type { Page, PagedList } from '../../engine/api-port/index.ts';
import { filterOf, filterParameters, type ListFields } from '../../engine/api-port/list-filter.ts';
import { words } from '../../engine/api-port/schemas.ts';
import { Query } from '../../engine/api-port/values.ts';
import { listIn, property } from '../../engine/vocabulary/json.ts';
import type { Route } from './route.ts';

const TOP_MAX = 1_000;
// A store's offset is a 32-bit number.
const SKIP_MAX = 2 ** 31 - 1;

/**
 * Returns the schema of a list's query, built from its filter fields, so that an unknown field is rejected by the same
 * validation as other input.
 * @param others the route's own query parameters
 * @param shown the fields of the list's records
 */
function listQuery(fields: ListFields, others: TObject | undefined, shown: readonly string[]): TObject {
  const orders = Object.keys(fields).filter((name) => fields[name]?.sort !== false);
  return Type.Object(
    {
      $skip: Type.Optional(Type.Integer({ minimum: 0, maximum: SKIP_MAX })),
      $top: Type.Optional(Type.Integer({ minimum: 1, maximum: TOP_MAX })),
      // JSON Schema does not allow an empty enum.
      ...(orders.length > 0 && { sort: Type.Optional(words(orders.flatMap((name) => [name, `-${name}`]))) }),
      ...(shown.length > 0 && { fields: Type.Optional(Type.Array(words(shown), { minItems: 1, maxItems: 100 })) }),
      ...filterParameters(fields),
      ...others?.properties,
    },
    { additionalProperties: false },
  );
}

/** @param query validated against `listQuery` @param top the default page size */
export function pageOf(query: Record<string, unknown>, fields: ListFields, top = TOP_MAX): Page {
  const storedPath = (name: string) => fields[name]?.path ?? name;
  return {
    skip: (query.$skip as number | undefined) ?? 0,
    limit: (query.$top as number | undefined) ?? top,
    filter: filterOf(query, fields),
    ...(query.fields !== undefined && { fields: query.fields as string[] }),
    ...sortOf(query.sort as string | undefined, storedPath),
  };
}

function sortOf(sort: string | undefined, stored: (name: string) => string): Pick<Page, 'sort'> {
  if (sort === undefined) return {};
  return sort.startsWith('-') ? { sort: { [stored(sort.slice(1))]: -1 } } : { sort: { [stored(sort)]: 1 } };
}

/** Returns the fields of a list's records, by the schema of its answer, which may have records of several kinds. */
function shownFields(answer: TSchema | undefined): string[] {
  const items = property(answer, 'items');
  const kinds = [items, ...listIn(property(items, 'anyOf'))];
  return kinds.flatMap((kind) => Object.keys((property(kind, 'properties') as object | undefined) ?? {}));
}

/** Splits the value of `fields`; a repeated parameter is a list already. */
export const splitFields = ({ fields, ...query }: Record<string, unknown>): Record<string, unknown> =>
  fields === undefined ? query : { ...query, fields: typeof fields === 'string' ? fields.split(',') : fields };

/** Returns records with these fields only, and always with their id. */
export function onlyFields(records: unknown, fields: readonly string[] | undefined): unknown {
  if (fields === undefined) return records;
  const wanted = ['id', ...fields];
  const pickFields = (record: unknown) =>
    Object.fromEntries(
      wanted.filter((name) => property(record, name) !== undefined).map((name) => [name, property(record, name)]),
    );
  return listIn(records).map(pickFields);
}

/** The first page, unfiltered, for routes that are not lists. */
export const wholePage = (filter: Record<string, unknown> = {}): Page => ({ skip: 0, limit: TOP_MAX, filter });

/** Combines both filters with $and, so that a key that both use is kept. */
export const narrowedPage = (page: Page, filter: Record<string, unknown>): Page => ({
  ...page,
  filter: Object.keys(page.filter).length > 0 ? { $and: [filter, page.filter] } : filter,
});

/**
 * Returns the Link header of a page: first, prev, next, last.
 * @param search the request's query, without its token: links are stored and passed on
 */
export function linksOf(path: string, search: URLSearchParams, page: Page, total: number): string {
  const { skip, limit } = page;
  const last = Math.max(0, Math.ceil(total / limit) - 1) * limit;
  const targets: [string, number | undefined][] = [
    ['first', 0],
    // Beyond the end, the last page: those between are empty.
    ['prev', skip > 0 ? Math.max(0, Math.min(skip - limit, last)) : undefined],
    ['next', skip + limit < total ? skip + limit : undefined],
    ['last', last],
  ];
  return targets
    .filter(([, at]) => at !== undefined)
    .map(([rel, at]) => `<${address(path, search, at ?? 0, limit)}>; rel="${rel}"`)
    .join(', ');
}

/** Returns the Link header of a page that knows its next one. @param parameters that replace those of the request */
export function nextLink(path: string, search: URLSearchParams, parameters: Record<string, string>): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(parameters)) query.set(name, value);
  return `<${path}?${query}>; rel="next"`;
}

function address(path: string, search: URLSearchParams, skip: number, limit: number): string {
  const query = new URLSearchParams(search);
  query.set('$skip', String(skip));
  query.set('$top', String(limit));
  return `${path}?${query.toString().replaceAll('%24', '$')}`;
}

/** Returns a page of a list in memory, in its own order. */
export const cutPage = <T>(all: readonly T[], { skip, limit }: Page): PagedList<T> => ({
  items: all.slice(skip, skip + limit),
  total: all.length,
});

/** Returns a page of a list in memory, filtered and sorted; `by` is the default order. */
export function pagedList<T extends object>(all: readonly T[], page: Page, by?: keyof T & string): PagedList<T> {
  const [[field, direction] = [by, 1]] = Object.entries(page.sort ?? {});
  const value = (item: T, name: string) => (item as Record<string, unknown>)[name];
  const condition = new Query(page.filter);
  const items = all.filter((item) => condition.test(item as Record<string, unknown>));
  if (field === undefined) return cutPage(items, page);
  const text = (item: T) => String(value(item, field));
  return cutPage(
    items.sort((a, b) => direction * text(a).localeCompare(text(b))),
    page,
  );
}

/** The schema of a route's query; undefined when the query is free-form. */
export function querySchema({ list, filters, query, answer }: Route): TObject | undefined {
  if (list !== undefined) return listQuery(list, query, shownFields(answer.schema));
  if (filters === undefined) return query;
  return Type.Object({ ...query?.properties, ...filterParameters(filters) }, { additionalProperties: false });
}
