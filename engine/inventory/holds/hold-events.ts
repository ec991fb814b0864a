/** The events of holds. */
import { randomUUID } from 'node:crypto';
import type { HoldRecord } from '../../api-port/holds.ts';
import { type CompleteEvents, completeEvents } from '../../events/outbox/pending-event.ts';
import { now } from '../../platform/lib/clock.ts';

/** @param by the user; null: unknown, or the hold ended by itself */
export const holdEvent = (
  action: 'added' | 'removed',
  { id, node, kind, reason, until, blocks, createdBy }: HoldRecord,
  nodeType: string,
  by: string | null,
): CompleteEvents =>
  completeEvents([
    {
      id: randomUUID(),
      version: '1.0',
      type: 'node',
      action: `hold.${action}`,
      severity: 'information',
      typeId: node,
      createdAt: new Date(now()).toISOString(),
      nodeId: node,
      data: { nodeId: node, nodeType, hold: { id, kind, reason, until, blocks, createdBy }, by },
    },
  ]);
