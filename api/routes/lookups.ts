/** Lookups: which node a MAC or an IP belongs to. The same in 1.1, but for the status of POST. */
import { Type } from 'typebox';
import type { Engine, NewLookup } from '../../engine/api-port/index.ts';
import { invalid, NodewrightError } from '../../engine/define/errors.ts';
import { macOf } from '../../engine/define/mac.ts';
import { lookupSources } from '../../engine/define/node.ts';
import { type ListFields, optionalTexts, texts, times, word } from '../filter.ts';
import { found } from '../refusals.ts';
import { type Route, route } from '../route.ts';
import { lookupRecord, lookupView, newLookup } from '../views/node.ts';

const filters: ListFields = {
  ...texts('id'),
  ...optionalTexts('ipAddress', 'node'),
  ...times('createdAt', 'updatedAt'),
  macAddress: { kind: 'text', spellings: (text) => [macOf(text) ?? text] },
  // One that was stored before lookups had a source counts as observed.
  source: { ...word(lookupSources), spellings: (source) => (source === 'observed' ? [source, null] : [source]) },
};

/** An identifier of the node may be given; its id is kept. */
async function withNodeId<T extends Partial<NewLookup>>(engine: Engine, lookup: T): Promise<T> {
  const { node } = lookup;
  if (node === undefined || node === null) return lookup;
  return { ...lookup, node: found(await engine.nodes.find(node), () => invalid('node', `${node} is no node`)).id };
}

const routesAt = (base: 'api' | '1.1', suffix: string, created: number): Route[] => [
  route({
    id: `listLookups${suffix}`,
    summary: 'List the lookups, or those that have a MAC, an IP or a node',
    method: 'GET',
    path: '/lookups',
    base,
    area: 'general',
    query: Type.Object({ q: Type.Optional(Type.String()) }),
    list: filters,
    answer: { status: 200, schema: Type.Array(lookupRecord) },
    handle: async ({ engine, page, query }) => {
      const { items, total } = await engine.lookups.list(page, query.q);
      return { status: 200, body: items.map(lookupView), total };
    },
  }),
  route({
    id: `createLookup${suffix}`,
    summary: 'Create a lookup; one that was only observed is confirmed, another of the MAC is 400',
    method: 'POST',
    path: '/lookups',
    base,
    area: 'general',
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
    summary: 'Get one lookup',
    method: 'GET',
    path: '/lookups/:id',
    base,
    area: 'general',
    answer: { status: 200, schema: lookupRecord },
    handle: async ({ engine, params: { id = '' } }) => {
      const lookup = found(await engine.lookups.get(id), () => noLookup(id));
      return { status: 200, body: lookupView(lookup) };
    },
  }),
  route({
    id: `changeLookup${suffix}`,
    summary: 'Change a lookup, or confirm one that was observed',
    method: 'PATCH',
    path: '/lookups/:id',
    base,
    area: 'general',
    body: Type.Partial(newLookup, { additionalProperties: false }),
    answer: { status: 200, schema: lookupRecord },
    handle: async ({ engine, body, params: { id = '' } }) => {
      const change = await withNodeId(engine, body as Partial<NewLookup>);
      const lookup = found(await engine.lookups.update(id, change), () => noLookup(id));
      return { status: 200, body: lookupView(lookup) };
    },
  }),
  route({
    id: `removeLookup${suffix}`,
    summary: 'Remove a lookup',
    method: 'DELETE',
    path: '/lookups/:id',
    base,
    area: 'general',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) => {
      if (!(await engine.lookups.remove(id))) throw noLookup(id);
      return { status: 204 };
    },
  }),
];

export const lookupRoutes = [...routesAt('api', '', 201), ...routesAt('1.1', '11', 200)];

const noLookup = (id: string) => new NodewrightError('NOT_FOUND', `Could not find lookup ${id}`);
