/**
 * Follows the events of the daemon, and keeps NetBox up to date until its signal.
 *
 * 1. When the stream is connected, all nodes are compared; later only those that events name. After an outage of the daemon all are
 *    compared again, so nothing is missed, however long it was.
 * 2. Nodes wait in a set while NetBox is away. A set of too many becomes a comparison of all.
 * 3. One exchange runs at a time. One that fails for a passing reason is repeated, with growing pauses.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { followEvents } from '../../client/follow-events.ts';
import { isPassing } from '../api-error.ts';
import { NetBoxError } from './netbox-error.ts';
import { nodesOfIds } from './site-nodes.ts';
import { type PullRequest, type PushRequest, pull, push, type Sides } from './sync-netbox.ts';
import type { SyncRow } from './sync-report.ts';

export interface WatchRequest {
  push: PushRequest;
  /** Absent: only pushes. */
  pull: (PullRequest & { everyMs: number }) | undefined;
  show(rows: readonly SyncRow[]): void;
  /** A line about the connections. */
  note(text: string): void;
}

/** Events come in bursts, such as the end of a workflow and the hold of its rule. */
const BURST_MS = 500;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const MAX_WAITING_NODES = 1_000;

const changes = { type: 'graph,node', action: 'started,finished,health.changed,hold.added,hold.removed' };

/** @throws an error that a repetition cannot help, and any error of the first exchange */
export async function watchNetBox(sides: Sides, request: WatchRequest): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([sides.signal, stop.signal]);
  const pending = new PendingNodes();
  const ends = [followChanges(sides, pending, signal, request), exchange(sides, pending, signal, request)];
  try {
    await Promise.all(ends);
  } catch (error) {
    if (!sides.signal.aborted) throw error;
  } finally {
    stop.abort();
    await Promise.allSettled(ends);
  }
}

/** The nodes that have to be compared. */
class PendingNodes {
  readonly #ids = new Set<string>();
  readonly #added = new EventTarget();
  #isAll = false;

  add(id: string): void {
    if (this.#ids.size >= MAX_WAITING_NODES) this.addAll();
    else if (!this.#isAll) this.#ids.add(id);
    this.#added.dispatchEvent(new Event('added'));
  }

  addAll(): void {
    this.#isAll = true;
    this.#ids.clear();
    this.#added.dispatchEvent(new Event('added'));
  }

  take(): { isAll: boolean; ids: string[] } {
    const waiting = { isAll: this.#isAll, ids: [...this.#ids] };
    this.#isAll = false;
    this.#ids.clear();
    return waiting;
  }

  /** Puts back those of an exchange that failed. */
  restore({ isAll, ids }: { isAll: boolean; ids: readonly string[] }): void {
    if (isAll) this.addAll();
    for (const id of ids) this.add(id);
  }

  /** Waits for a node, for `ms` at most. */
  async some(ms: number | undefined, signal: AbortSignal): Promise<void> {
    if (this.#isAll || this.#ids.size > 0) return;
    const end = new AbortController();
    const added = once(this.#added, 'added', { signal: AbortSignal.any([signal, end.signal]) });
    const late = ms === undefined ? [] : [sleep(ms, undefined, { signal: AbortSignal.any([signal, end.signal]) })];
    const waits = [added, ...late];
    try {
      await Promise.race(waits);
    } finally {
      end.abort();
      await Promise.allSettled(waits);
    }
  }
}

async function followChanges({ client }: Sides, pending: PendingNodes, signal: AbortSignal, { note }: WatchRequest) {
  let isAway = false;
  for await (const followed of followEvents(client, { query: changes, signal })) {
    if (followed.kind === 'event' && followed.event.nodeId) pending.add(followed.event.nodeId);
    if (followed.kind === 'connected' || followed.kind === 'gap') pending.addAll();
    if (followed.kind === 'away' && !isAway) note(`no connection to the daemon, tries again: ${followed.reason}`);
    if (followed.kind === 'connected' && isAway) note('connected to the daemon again');
    if (followed.kind !== 'gap') isAway = followed.kind === 'away';
  }
}

async function exchange(sides: Sides, pending: PendingNodes, signal: AbortSignal, request: WatchRequest) {
  let nextPull = request.pull === undefined ? undefined : Date.now();
  let pauseMs = FIRST_PAUSE_MS;
  let hasSucceeded = false;
  for (;;) {
    await pending.some(nextPull === undefined ? undefined : Math.max(0, nextPull - Date.now()), signal);
    await sleep(BURST_MS, undefined, { signal });
    const waiting = pending.take();
    try {
      if (request.pull !== undefined && nextPull !== undefined && Date.now() >= nextPull) {
        request.show(await pull({ ...sides, signal }, request.pull));
        nextPull = Date.now() + request.pull.everyMs;
        // Nodes that are linked now get their first values.
        waiting.isAll = true;
      }
      await pushWaiting({ ...sides, signal }, waiting, request);
      if (pauseMs > FIRST_PAUSE_MS) request.note('the exchange with NetBox works again');
      pauseMs = FIRST_PAUSE_MS;
      hasSucceeded = true;
    } catch (error) {
      signal.throwIfAborted();
      pending.restore(waiting);
      if (!hasSucceeded || !isOutage(error)) throw error;
      if (pauseMs === FIRST_PAUSE_MS) request.note(`tries again: ${messageOf(error)}`);
      await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal });
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }
}

async function pushWaiting(sides: Sides, { isAll, ids }: { isAll: boolean; ids: string[] }, request: WatchRequest) {
  if (isAll) return request.show(await push(sides, request.push));
  // A list of ids must fit into an address.
  for (let from = 0; from < ids.length; from += NODES_PER_EXCHANGE) {
    const nodes = await nodesOfIds(sides.client, ids.slice(from, from + NODES_PER_EXCHANGE));
    request.show(await push(sides, request.push, nodes));
  }
}

const NODES_PER_EXCHANGE = 100;

/** A proxy before a NetBox that starts may answer with a page. */
const isOutage = (error: unknown): boolean =>
  error instanceof NetBoxError ? error.isPassing || error.code === 'NETBOX_UNEXPECTED' : isPassing(error);
