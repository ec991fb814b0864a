/** The filters of the list of nodes, as the address has them. */
import { type HealthState, healthStates, powerStates } from '../../../../engine/vocabulary/states.ts';
import type { ListedNode } from '../../data/listed-node.ts';
import { compareNames, type NodeSort, nodeSorts } from './node-order.ts';

type PowerWord = (typeof powerStates)[number];

export interface NodeFilter {
  /** A part of the name, the id, or an identifier such as a MAC. */
  q: string;
  tag: string;
  /** An id, or `none`. */
  sku: string;
  type: string;
  state: '' | 'busy' | 'free';
  health: '' | HealthState;
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
  state: '',
  health: '',
  held: '',
  power: '',
  obm: '',
  sort: '',
};

const states = ['busy', 'free'] as const;
const oneOf = <T extends string>(words: readonly T[], text: string | undefined): T | '' =>
  words.find((one) => one === text) ?? '';

export const nodeFilterIn = ({
  q,
  tag,
  sku,
  type,
  state,
  health,
  held,
  power,
  obm,
  sort,
}: Partial<Record<string, string>>): NodeFilter => ({
  q: q ?? '',
  tag: tag ?? '',
  sku: sku ?? '',
  type: type ?? '',
  state: oneOf(states, state),
  health: oneOf(healthStates, health),
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
  const { q, tag, sku, type, state, health, held, power, obm } = filter;
  if (q !== '' || obm !== '' || !isSelecting(filter)) return undefined;
  return {
    ...(tag !== '' && { tags: tag }),
    ...(sku !== '' && { sku: sku === 'none' ? 'null' : sku }),
    ...(type !== '' && { type }),
    ...(state !== '' && { busy: state === 'busy' }),
    ...(health !== '' && { health }),
    ...(held !== '' && { held: true }),
    ...(power !== '' && { power }),
  };
}

export const filteredNodes = (nodes: readonly ListedNode[], filter: NodeFilter): ListedNode[] =>
  nodes.filter((node) => passesFilter(node, filter));

function passesFilter(node: ListedNode, { q, tag, sku, type, state, health, held, power, obm }: NodeFilter): boolean {
  if (
    q !== '' &&
    !q
      .toLowerCase()
      .split(/\s+/)
      .every((word) => node.searched.includes(word))
  )
    return false;
  if (tag !== '' && !node.tags.includes(tag)) return false;
  if (sku !== '' && (node.sku ?? 'none') !== sku) return false;
  if (type !== '' && node.type !== type) return false;
  if (state !== '' && (node.active === null) !== (state === 'free')) return false;
  if (health !== '' && node.health !== health) return false;
  if (held !== '' && node.held.length === 0) return false;
  if (power !== '' && node.power?.state !== power) return false;
  return obm === '' || node.obms.length === 0;
}

export interface FilterChoices {
  tags: string[];
  types: string[];
}

/** The values that nodes have, for the fields of the filters. */
export function choicesIn(nodes: readonly ListedNode[]): FilterChoices {
  const tags = new Set<string>();
  const types = new Set<string>();
  for (const { tags: nodeTags, type } of nodes) {
    types.add(type);
    for (const tag of nodeTags) if (tags.size < TAGS) tags.add(tag);
  }
  return { tags: [...tags].sort(compareNames), types: [...types].sort(compareNames) };
}

const TAGS = 500;
