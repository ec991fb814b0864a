/** The newest events, bounded; and the filters by which a reader looks at them. */
import type { LogEvent } from '../../../client/follow-events.ts';

/** Rows that are shown. */
export const ROWS_SHOWN = 500;
/** Events that are kept, so that another filter has some to show. */
const CACHED_EVENTS = 2_000;

/** Parts of texts, without regard to case; empty: any. */
export interface EventFilter {
  event: string;
  status: string;
  severity: string;
  node: string;
  of: string;
  /** Each process sends one every few seconds, so that they hide the rest. */
  withHeartbeats: boolean;
}

export const anyEvent: EventFilter = { event: '', status: '', severity: '', node: '', of: '', withHeartbeats: false };

const contains = (text: unknown, part: string): boolean =>
  part === '' || (typeof text === 'string' && text.toLowerCase().includes(part.trim().toLowerCase()));

/** @param nameOf the name of a node */
export const eventMatcherOf =
  (filter: EventFilter, nameOf: (node: string) => string) =>
  ({ type, action, severity, typeId, nodeId, data }: LogEvent): boolean =>
    (type !== 'heartbeat' || filter.withHeartbeats) &&
    contains(`${type}.${action}`, filter.event) &&
    contains(data.status, filter.status) &&
    contains(severity, filter.severity) &&
    contains(`${typeId} ${String(data.graphName ?? '')} ${String(data.injectableName ?? '')}`, filter.of) &&
    (filter.node === '' || (nodeId !== null && contains(`${nodeId} ${nameOf(nodeId)}`, filter.node)));

/** Newest first, each once. */
export function withEvents(buffer: readonly LogEvent[], more: readonly LogEvent[]): LogEvent[] {
  const seqs = new Set(buffer.map(({ seq }) => seq));
  const added = more.filter(({ seq }) => !seqs.has(seq));
  if (added.length === 0) return [...buffer];
  return [...buffer, ...added].sort((one, other) => other.seq - one.seq).slice(0, CACHED_EVENTS);
}

/** Older ones after the others; the newest make room, since the reader looks at the oldest. */
export function withOlder(buffer: readonly LogEvent[], older: readonly LogEvent[]): LogEvent[] {
  const all = [...buffer, ...older.toReversed()];
  return all.slice(Math.max(0, all.length - CACHED_EVENTS));
}

/** The graph and the status of a workflow, or the name of something else. */
export function aboutEvent({ data: { injectableName, graphName, status, name } }: LogEvent): string {
  const parts = [injectableName ?? graphName ?? name, status].filter((part) => typeof part === 'string');
  return parts.join(' ');
}
