/** The event of a node whose health changed. */
import { randomUUID } from 'node:crypto';
import { type CompleteEvents, completeEvents } from '../../events/outbox/pending-event.ts';
import type { Severity } from '../../vocabulary/event.ts';
import type { HealthState } from '../../vocabulary/states.ts';
import { type ExaminedNode, type StoredHealth, shownHealth } from './stored-health.ts';

const severities: Record<HealthState, Severity> = {
  ok: 'information',
  unknown: 'information',
  warning: 'warning',
  critical: 'critical',
};

/** Reports in one event. */
const REPORTS = 10;

/** @param at ISO 8601 */
export function healthEvent(
  { id, type }: Pick<ExaminedNode, 'id' | 'type'>,
  before: HealthState,
  after: StoredHealth,
  at: string,
): CompleteEvents {
  const { state, since, reports } = shownHealth(after);
  const worst = reports.filter((report) => report.state === state).slice(0, REPORTS);
  return completeEvents([
    {
      id: randomUUID(),
      version: '1.0',
      type: 'node',
      action: 'health.changed',
      severity: severities[state],
      typeId: id,
      createdAt: at,
      nodeId: id,
      data: { nodeId: id, nodeType: type, health: { state, since, reports: worst }, oldState: before },
    },
  ]);
}
