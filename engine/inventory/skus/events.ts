/** Events about SKUs. Their ids are derived from their content, so that a repeated event is recognized. */
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import { type EventPayload, type ListedEvent, progress, publicationOf } from '../../vocabulary/event.ts';
import type { Regeneration } from './generation.ts';

/** An assignment change: a node's SKU was set, replaced or removed. */
export interface SkuAssignment {
  node: string;
  type: string;
  /** Sequence number of the node's assignment changes. */
  number: number;
  from: string | null;
  to: string | null;
  /** ISO 8601. */
  at: string;
}

export type SkuChangeAction = 'assigned' | 'unassigned' | 'updated';

export const actionOf = ({ from, to }: Pick<SkuAssignment, 'from' | 'to'>): SkuChangeAction =>
  from === null ? 'assigned' : to === null ? 'unassigned' : 'updated';

export function skuChangeEvent(move: SkuAssignment): ListedEvent {
  const { node, type, number, from, to, at } = move;
  return {
    ...fixedId(['node sku', node, number], at),
    action: `sku.${actionOf(move)}`,
    typeId: node,
    nodeId: node,
    data: { nodeId: node, nodeType: type, oldSku: from, newSku: to },
  };
}

export const isSkuChange = ({ action }: Pick<EventPayload, 'action'>): boolean => action.startsWith('sku.');

/** Progress of a regeneration. It concerns all nodes, so `nodeId` is null. */
export function progressEvent(at: Pick<Regeneration, 'target' | 'seen' | 'total' | 'changed'>, done: boolean) {
  const { target: generation, seen, total, changed } = at;
  const status = done ? 'succeeded' : 'running';
  const percentage = done ? progress(1, 1, '').percentage : progress(seen, total, '').percentage;
  const description = `${seen} nodes classified, ${changed} of them reassigned`;
  return publicationOf({
    ...fixedId(['skus progress', generation, status, percentage], new Date().toISOString()),
    action: 'skus.progress.updated',
    typeId: String(generation),
    nodeId: null,
    data: {
      generation,
      status,
      progress: { value: seen, maximum: total, percentage: percentage, description },
      changed,
    },
  });
}

const fixedId = (parts: readonly (string | number)[], createdAt: string) =>
  ({
    id: uuidOf(parts.join(' ')),
    version: '1.0',
    type: 'node',
    severity: 'information',
    createdAt,
  }) satisfies Partial<ListedEvent>;
