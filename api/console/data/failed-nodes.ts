/** The nodes whose last workflow of a day failed. Read after failures, and after what follows them on these nodes. */
import { signal } from '@preact/signals';
import { DAY_MS } from '../../../engine/vocabulary/units.ts';
import type { LogEvent } from '../../client/follow-events.ts';
import { client } from './daemon-client.ts';
import { idsInParts } from './ids-in-parts.ts';
import { onEvents } from './live.ts';
import { RepeatedCall } from './repeated-call.ts';
import { stateNow } from './shown-states.ts';

/** Failed workflows that are looked at. */
const MOST_FAILED = 1_000;
/** The most workflows of these nodes. */
const WORKFLOWS_PER_REQUEST = 1_000;
/** ms between two looks without an event. */
const REREAD_MS = 60_000;

export const failedNodes = signal<ReadonlySet<string>>(new Set());

/** Follows the failures until it is ended by the returned function. */
export function followFailures(): () => void {
  const reading = new RepeatedCall(async () => {
    // A user who may not read workflows sees none that failed.
    failedNodes.value = await readFailedNodes().catch(() => new Set<string>());
  }, REREAD_MS);
  const ignore = onEvents((event) => {
    if (event === undefined || mayChange(event)) reading.soon();
  });
  reading.now();
  return () => {
    reading.stop();
    ignore();
  };
}

const mayChange = ({ type, action, nodeId, data }: LogEvent): boolean =>
  type === 'graph' &&
  nodeId !== null &&
  ((action === 'finished' && data.status === 'failed') || failedNodes.peek().has(nodeId));

async function readFailedNodes(): Promise<ReadonlySet<string>> {
  const query = { status: 'failed', root: 'null', 'createdAt.gte': dayAgo(), fields: 'node', $top: MOST_FAILED };
  const { body } = await client.get('/workflows', { query });
  const states = await readLastStates([...new Set(body.flatMap(({ node }) => node ?? []))]);
  return new Set([...states].flatMap(([node, state]) => (state === 'failed' ? [node] : [])));
}

/** The state of the last workflow of a day, by node. @throws RequestError */
export async function readLastStates(nodes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const last = new Map<string, string>();
  const query = { root: 'null', 'createdAt.gte': dayAgo(), sort: '-createdAt', fields: 'node,status,paused,waiting' };
  for (const part of idsInParts(nodes)) {
    const node = part.join(',');
    const { body } = await client.get('/workflows', { query: { ...query, node, $top: WORKFLOWS_PER_REQUEST } });
    for (const workflow of body)
      if (workflow.node !== null && !last.has(workflow.node)) last.set(workflow.node, stateNow(workflow));
  }
  return last;
}

const dayAgo = (): string => new Date(Date.now() - DAY_MS).toISOString();
