/** Lookups: the node that a MAC or an IP belongs to. Also served under 1.1; only the status of POST differs. */
import { Type } from 'typebox';
import type { Engine, NewLookup } from '../../engine/api-port/index.ts';
import { type ListFields, optionalTexts, texts, times, word } from '../../engine/api-port/list-filter.ts';
import { lookupRecord, newLookup } from '../../engine/api-port/nodes.ts';
import { lookupSources } from '../../engine/define/node.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { macOf } from '../../engine/vocabulary/mac.ts';
import { requireFound } from '../http/rejections.ts';
import { listReply, recordReply, removalReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';
import { lookupView } from '../views/node.ts';

const route = routesOf('general');

const filters: ListFields = {
  ...texts('id'),
  ...optionalTexts('ipAddress', 'node'),
  ...times('createdAt', 'updatedAt'),
  macAddress: { kind: 'text', spellings: (text) => [macOf(text) ?? text] },
  source: word(lookupSources),
};

/** Replaces an identifier of the node by its id; a node that does not exist yet stays as it is named. */
async function withNodeId<T extends Partial<NewLookup>>(engine: Engine, lookup: T): Promise<T> {
  const { node } = lookup;
  if (node === undefined || node === null) return lookup;
  return { ...lookup, node: (await engine.nodes.idOf(node)) ?? node };
}

const routesAt = (base: 'api' | '1.1', suffix: string, created: number) => [
  route({
    id: `listLookups${suffix}`,
    summary: 'List lookups, or those with a given MAC, IP or node',
    method: 'GET',
    path: '/lookups',
    base,
    query: Type.Object({ q: Type.Optional(Type.String()) }),
    list: filters,
    answer: { status: 200, schema: Type.Array(lookupRecord) },
    handle: async ({ engine, page, query }) => listReply(await engine.lookups.list(page, query.q), lookupView),
  }),
  route({
    id: `createLookup${suffix}`,
    summary: 'Create a lookup, or confirm an observed one; 400 if the MAC is already confirmed',
    method: 'POST',
    path: '/lookups',
    base,
    body: newLookup,
    answer: { status: created, schema: lookupRecord },
    handle: async ({ engine, body }) => {
      const lookup = await engine.lookups.create(await withNodeId(engine, body as NewLookup));
      const place = `${base === '1.1' ? '/api/1.1' : '/api/2.0'}/lookups/${lookup.id}`;
      return { status: created, body: lookupView(lookup), headers: { Location: place } };
    },
  }),
  route({
    id: `getLookup${suffix}`,
    summary: 'Get a lookup',
    method: 'GET',
    path: '/lookups/:id',
    base,
    answer: { status: 200, schema: lookupRecord },
    handle: async ({ engine, params: { id = '' } }) =>
      recordReply(await engine.lookups.get(id), lookupView, () => noLookup(id)),
  }),
  route({
    id: `changeLookup${suffix}`,
    summary: 'Update a lookup, or confirm an observed one',
    method: 'PATCH',
    path: '/lookups/:id',
    base,
    body: Type.Partial(newLookup, { additionalProperties: false }),
    answer: { status: 200, schema: lookupRecord },
    handle: async ({ engine, body, params: { id = '' } }) => {
      const change = await withNodeId(engine, body as Partial<NewLookup>);
      const lookup = requireFound(await engine.lookups.update(id, change), () => noLookup(id));
      return { body: lookupView(lookup) };
    },
  }),
  route({
    id: `removeLookup${suffix}`,
    summary: 'Delete a lookup',
    method: 'DELETE',
    path: '/lookups/:id',
    base,
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) =>
      removalReply(await engine.lookups.remove(id), () => noLookup(id)),
  }),
];

export const lookupRoutes = [...routesAt('api', '', 201), ...routesAt('1.1', '11', 200)];

const noLookup = (id: string) => new NodewrightError('NOT_FOUND', `Could not find lookup ${id}`);
