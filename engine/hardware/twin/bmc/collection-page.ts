/** Query parameters of a request (DSP0266, 7.3): `$top` and `$skip` of collections; others that begin with `$` are refused. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import { BmcRejection, badRequest } from './bmc-rejection.ts';

/** @returns the document, or the part of the collection @throws BmcRejection 400, 501 */
export function collectionPage(document: JsonObject, path: string, query: string): JsonObject {
  if (query === '') return document;
  const parameters = new URLSearchParams(query);
  const paging = new Map<string, number>();
  for (const [name, value] of parameters) {
    if (!name.startsWith('$')) continue;
    if (name !== '$top' && name !== '$skip') throw new BmcRejection(501, 'QueryNotSupported');
    if (!/^\d{1,6}$/.test(value)) throw badRequest('QueryParameterOutOfRange', value.slice(0, 40), name);
    paging.set(name, Number(value));
  }
  const { Members: members } = document;
  if (paging.size === 0) return document;
  if (!Array.isArray(members)) throw badRequest('QueryNotSupported');
  const skip = paging.get('$skip') ?? 0;
  const end = Math.min(skip + (paging.get('$top') ?? members.length), members.length);
  return {
    ...document,
    Members: members.slice(skip, end),
    ...(end < members.length && paging.get('$top') !== 0 && { 'Members@odata.nextLink': `${path}?$skip=${end}` }),
  };
}
