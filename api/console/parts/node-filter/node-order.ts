/** The order of the list of nodes. */
import { healthStates } from '../../../../engine/vocabulary/states.ts';
import { modelText } from '../../../client/hardware-texts.ts';
import type { ListedNode } from '../../data/listed-node.ts';
import { statusOfServer } from '../../data/node-status.ts';

const fields = ['state', 'health', 'power', 'place', 'type', 'sku', 'model', 'serial', 'updated'] as const;
type NodeField = 'name' | (typeof fields)[number];

/** '': by name. */
export type NodeSort = '' | NodeField | `-${NodeField}`;

export const nodeSorts: readonly NodeSort[] = ['-name', ...fields, ...fields.map((field) => `-${field}` as const)];

/** The texts that a list has instead of ids. */
export interface NodeTexts {
  /** The name of a SKU. */
  sku: (id: string) => string;
  place: (node: ListedNode) => string;
}

/** `node-2` comes before `node-10`. */
export const { compare: compareNames } = new Intl.Collator(undefined, { numeric: true });

const modelOf = (node: ListedNode): string | undefined => modelText(node) || undefined;

/** @returns undefined: it comes last, whatever the direction */
const keys: Record<NodeField, (node: ListedNode, texts: NodeTexts) => string | undefined> = {
  name: ({ name }) => name,
  state: statusOfServer,
  health: ({ health }) => (health === 'unknown' ? undefined : String(healthStates.indexOf(health))),
  place: (node, { place }) => place(node) || undefined,
  type: ({ type }) => type,
  sku: ({ sku: id }, { sku }) => (id === null ? undefined : sku(id)),
  power: ({ power }) => power?.state,
  model: modelOf,
  serial: ({ serial }) => serial,
  updated: ({ updatedAt }) => updatedAt,
};

export function sortedNodes(nodes: readonly ListedNode[], sort: NodeSort, texts: NodeTexts): ListedNode[] {
  const direction = sort.startsWith('-') ? -1 : 1;
  const keyOf = keys[(sort.replace('-', '') || 'name') as NodeField];
  return nodes
    .map((node) => ({ node, key: keyOf(node, texts) }))
    .sort((a, b) => {
      if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined);
      return direction * compareNames(a.key, b.key) || compareNames(a.node.name, b.node.name);
    })
    .map(({ node }) => node);
}
