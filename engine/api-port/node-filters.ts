/** The filters of lists of nodes, as requests and the configuration have them. */
import { type Static, type TObject, Type } from 'typebox';
import { nodeTypes } from '../define/node.ts';
import { namesOf } from '../vocabulary/mac.ts';
import { burnInOutcomes, healthStates, heldWords, holdKinds, powerStates } from '../vocabulary/states.ts';
import {
  filterOf,
  filterParameters,
  type ListFields,
  optionalTexts,
  splitFilters,
  texts,
  times,
  word,
} from './list-filter.ts';
import type { NodeQuery } from './node-query.ts';
import type { NodeState } from './nodes.ts';
import { type Check, queryCheck } from './query-check.ts';
import { words } from './schemas.ts';

/** Nothing is stored of a node without reports. */
const storedHealth = (state: string) => (state === 'unknown' ? [state, null] : [state]);

export const nodeFilters: ListFields = {
  ...texts('id', 'name'),
  ...optionalTexts('sku', 'service', 'owner', 'vendor', 'model', 'serial', 'bmcAddress'),
  ...times('createdAt', 'updatedAt'),
  type: word(nodeTypes),
  identifiers: { kind: 'texts', spellings: namesOf },
  tags: { kind: 'texts' },
  health: { ...word(healthStates, 'healthRecord.state'), spellings: storedHealth },
  burnIn: { ...word(burnInOutcomes, 'healthRecord.burnIn'), nullable: true },
  power: { ...word(powerStates, 'power.state'), nullable: true },
  autoDiscover: { kind: 'boolean' },
  autodiscover: { kind: 'boolean', path: 'autoDiscover' },
};

/** Filters by what is not in the record of a node, which the request of the list evaluates. */
export const derivedNodeFilters: ListFields = { held: word(heldWords) };
export const nodeStates = {
  busy: Type.Optional(Type.Boolean({ description: 'only nodes that a workflow holds, or only free ones' })),
  held: Type.Optional(
    Type.Array(words(heldWords), {
      minItems: 1,
      maxItems: 1_000,
      description: 'only nodes with a hold, without one, or with one of these kinds',
    }),
  ),
};

export const nodeStateOf = ({ busy, held }: Static<TObject<typeof nodeStates>>): NodeState => ({
  busy,
  held: held && {
    kinds: held.includes('true') ? holdKinds : holdKinds.filter((kind) => held.includes(kind)),
    orNone: held.includes('false'),
  },
});

const filterSchema = Type.Object({ ...filterParameters(nodeFilters), ...nodeStates }, { additionalProperties: false });
const checkFilter: Check<typeof filterSchema> = queryCheck(filterSchema);

const filters = { ...nodeFilters, ...derivedNodeFilters };

/** A query has only texts. */
const heldText = ({ held }: Record<string, unknown>) => (typeof held === 'boolean' ? { held: String(held) } : {});

/** @throws NodewrightError INVALID */
export function nodeQueryOf(filter: Record<string, string | boolean>): NodeQuery {
  const query: Record<string, unknown> = splitFilters({ ...filter, ...heldText(filter) }, filters);
  checkFilter(query);
  return { filter: filterOf(query, nodeFilters), state: nodeStateOf(query) };
}
