/** The filters of the list of nodes, as the address has them. */
import {
  type BurnInOutcome,
  burnInOutcomes,
  type HealthState,
  healthStates,
  powerStates,
} from '../../../../engine/vocabulary/states.ts';
import type { ListedNode } from '../../data/listed-node.ts';
import { type ServerStatus, serverStatuses, statusOfServer } from '../../data/node-status.ts';
import { outerNodes } from '../../data/outer-nodes.ts';
import { compareNames, type NodeSort, nodeSorts } from './node-order.ts';

type PowerWord = (typeof powerStates)[number];

export interface NodeFilter {
  /** A part of the name, the id, or an identifier such as a MAC. */
  q: string;
  /** As the three below: one of several values, with commas between them. */
  tag: string;
  /** Ids, or `none`. */
  sku: string;
  type: string;
  /** Names of racks, or of enclosures. */
  rack: string;
  state: '' | ServerStatus;
  health: '' | HealthState;
  /** `none`: a server without one. */
  burnIn: '' | BurnInOutcome | 'none';
  held: '' | 'held';
  power: '' | PowerWord;
  obm: '' | 'missing';
  sort: NodeSort;
}

export const emptyFilter: NodeFilter = {
  q: '',
  tag: '',
  sku: '',
  type: '',
  rack: '',
  state: '',
  health: '',
  burnIn: '',
  held: '',
  power: '',
  obm: '',
  sort: '',
};

export const burnInWords = [...burnInOutcomes, 'none'] as const;

const oneOf = <T extends string>(words: readonly T[], text: string | undefined): T | '' =>
  words.find((one) => one === text) ?? '';

export const nodeFilterIn = ({
  q,
  tag,
  sku,
  type,
  rack,
  state,
  health,
  burnIn,
  held,
  power,
  obm,
  sort,
}: Partial<Record<string, string>>): NodeFilter => ({
  q: q ?? '',
  tag: tag ?? '',
  sku: sku ?? '',
  type: type ?? '',
  rack: rack ?? '',
  state: oneOf(serverStatuses, state),
  health: oneOf(healthStates, health),
  burnIn: oneOf(burnInWords, burnIn),
  held: oneOf(['held'], held),
  power: oneOf(powerStates, power),
  obm: oneOf(['missing'], obm),
  sort: oneOf(nodeSorts, sort),
});

/** Below /ui. */
export function nodesAddress(filter: NodeFilter): string {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  return given.length === 0 ? '/ui/nodes' : `/ui/nodes?${new URLSearchParams(given)}`;
}

/** Whether some nodes may not pass it. */
export const isSelecting = ({ sort: _, ...filter }: NodeFilter): boolean =>
  Object.values(filter).some((value) => value !== '');

/** Returns the filter as requests have it; undefined: the daemon has no such filter. */
export function requestedFilter(filter: NodeFilter): Record<string, string | boolean> | undefined {
  const { q, tag, sku, type, rack, state, health, burnIn, held, power, obm } = filter;
  if (q !== '' || rack !== '' || state === 'failed' || burnIn === 'none' || obm !== '' || !isSelecting(filter))
    return undefined;
  return {
    ...(tag !== '' && { tags: tag }),
    ...(sku !== '' && {
      sku: sku
        .split(',')
        .map((id) => (id === 'none' ? 'null' : id))
        .join(','),
    }),
    ...(type !== '' && { type }),
    ...(state !== '' && { busy: state === 'busy' }),
    ...(health !== '' && { health }),
    ...(burnIn !== '' && { burnIn }),
    ...(held !== '' && { held: true }),
    ...(power !== '' && { power }),
  };
}

/** @param nodes all, among which the racks of others are */
export function filteredNodes(nodes: readonly ListedNode[], { rack, ...filter }: NodeFilter): ListedNode[] {
  const passing = nodes.filter((node) => passesFilter(node, filter));
  if (rack === '') return passing;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return passing.filter((node) => outerNodes(node, byId).some(({ name }) => isAmong(name, rack)));
}

const isAmong = (value: string, values: string): boolean => values.split(',').includes(value);

function passesFilter(
  node: ListedNode,
  { q, tag, sku, type, state, health, burnIn, held, power, obm }: Omit<NodeFilter, 'rack'>,
): boolean {
  if (
    q !== '' &&
    !q
      .toLowerCase()
      .split(/\s+/)
      .every((word) => node.searched.includes(word))
  )
    return false;
  if (tag !== '' && !node.tags.some((one) => isAmong(one, tag))) return false;
  if (sku !== '' && !isAmong(node.sku ?? 'none', sku)) return false;
  if (type !== '' && !isAmong(node.type, type)) return false;
  // A node whose last workflow failed is free.
  if (state === 'free' ? node.active !== null : state !== '' && statusOfServer(node) !== state) return false;
  if (health !== '' && node.health !== health) return false;
  if (burnIn !== '' && (node.burnIn ?? (node.type === 'compute' && 'none')) !== burnIn) return false;
  if (held !== '' && node.held.length === 0) return false;
  if (power !== '' && node.power?.state !== power) return false;
  return obm === '' || node.obms.length === 0;
}

export interface FilterChoices {
  tags: string[];
  types: string[];
  /** Names of nodes that have others in them. */
  racks: string[];
}

/** The values that nodes have, for the fields of the filters. */
export function choicesIn(nodes: readonly ListedNode[]): FilterChoices {
  const tags = new Set<string>();
  const types = new Set<string>();
  const racks = new Set<string>();
  for (const { tags: nodeTags, type, name, relations } of nodes) {
    types.add(type);
    if (relations.some(({ relationType }) => relationType === 'contains' || relationType === 'encloses'))
      racks.add(name);
    for (const tag of nodeTags) if (tags.size < TAGS) tags.add(tag);
  }
  return {
    tags: [...tags].sort(compareNames),
    types: [...types].sort(compareNames),
    racks: [...racks].sort(compareNames),
  };
}

const TAGS = 500;
