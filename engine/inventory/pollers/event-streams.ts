/**
 * Follows the event streams of BMCs whose logs are polled by Redfish: an event has the logs read soon, not at the next interval.
 *
 * 1. Only the reading gives entries: an event says that there may be some. Each entry is therefore published once, and none is lost
 *    while there is no stream: the logs are also read when a stream opens, and at each interval.
 * 2. The logs are read in this process, in the session that the stream keeps open: log-ins are events, too.
 * 3. The holder of the lease follows the streams. Another process ends its own within an interval after it has lost the lease.
 * 4. A BMC without a stream is asked again after an hour; one whose stream ends soon gets a back-off, which doubles each time.
 * 5. Each stream is opened again after an hour: the obm of its node may have changed.
 */
import { setTimeout } from 'node:timers/promises';
import type { ObmDrivers } from '../../hardware/obm/obm-drivers.ts';
import { eventStreamOf, readEventStream } from '../../hardware/obm/redfish-event-stream.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { now } from '../../platform/lib/clock.ts';
import { Reconciler } from '../../platform/lib/reconciler.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { EventStreamState } from '../../vocabulary/states.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import { isOfLog } from './log-news.ts';
import type { PollScope, Polls } from './poll.ts';
import type { StoredPoller } from './stored-poller.ts';

const FOLLOW_INTERVAL_MS = 30_000;
/** Streams of one process; each keeps a connection and a session. */
const STREAM_LIMIT = 128;
/** Events that come together are read together. */
const SETTLE_MS = 1_000;
/** A stream that lasted this long had begun well. */
const LASTING_MS = 60_000;

export interface EventStreamsPort {
  stored: Collection<StoredPoller>;
  obms: Pick<ObmDrivers, 'redfish'>;
  holds: PollScope['holds'];
  polls: Pick<Polls, 'poll'>;
  cluster: Pick<Cluster, 'reconciler'>;
  failed(error: unknown): void;
}

/** The stream of one node, also while there is none. */
interface NodeStream {
  /** Ids of the pollers that read the node's logs. */
  pollers: readonly string[];
  state: EventStreamState;
  failures: number;
  retryAt: number;
  /** Present while it is followed. */
  followed?: { began: number; ending: AbortController; end: Promise<void> };
}

export class EventStreams {
  readonly #port: EventStreamsPort;
  readonly #everyMs: number;
  readonly #reconciler: Reconciler;
  readonly #streams = new Map<string, NodeStream>();
  #isHolder = false;

  /** @param everyMs between two passes, and the shortest back-off */
  constructor(port: EventStreamsPort, everyMs = FOLLOW_INTERVAL_MS) {
    this.#port = port;
    this.#everyMs = everyMs;
    this.#reconciler = port.cluster.reconciler({
      name: 'event streams',
      everyMs,
      local: async () => {
        if (!this.#isHolder) await this.#end([...this.#streams.keys()]);
        this.#isHolder = false;
      },
      pass: () => this.#pass(),
      failed: port.failed,
    });
  }

  start(): void {
    this.#reconciler.start();
  }

  /** Returns the number of nodes with a stream in this state: 0 in a process without the lease. */
  count(state: EventStreamState): number {
    return [...this.#streams.values()].filter((stream) => stream.state === state).length;
  }

  async #pass(): Promise<void> {
    this.#isHolder = true;
    const pollers = new Map<string, string[]>();
    for await (const poller of pages(this.#port.stored, { type: 'redfish' })) {
      if (!isOfLog(poller) || poller.paused || poller.config.stream === false) continue;
      pollers.set(poller.node, [...(pollers.get(poller.node) ?? []), poller.id]);
    }
    const isOver = (node: string, { followed }: NodeStream) =>
      !pollers.has(node) || (followed?.began ?? now()) < now() - HOUR_MS;
    await this.#end([...this.#streams].filter((one) => isOver(...one)).map(([node]) => node));
    let open = [...this.#streams.values()].filter(({ followed }) => followed !== undefined).length;
    for (const [node, ids] of pollers) {
      const stream = this.#streams.get(node) ?? { pollers: ids, state: 'waiting', failures: 0, retryAt: 0 };
      this.#streams.set(node, stream);
      stream.pollers = ids;
      if (stream.followed !== undefined || stream.retryAt > now() || open >= STREAM_LIMIT) continue;
      if ((await this.#port.holds.blocksOn(node)).has('poll')) continue;
      this.#begin(node, stream);
      open += 1;
    }
  }

  #begin(node: string, stream: NodeStream): void {
    const ending = new AbortController();
    const began = now();
    const end = this.#follow(node, stream, ending.signal)
      // The pollers report what is wrong with their BMC.
      .catch(() => 'failed' as const)
      .then((result) => {
        delete stream.followed;
        stream.state = result === 'none' ? 'none' : 'waiting';
        stream.failures = result !== 'none' && now() - began < LASTING_MS ? stream.failures + 1 : 0;
        const backoffMs = result === 'none' ? HOUR_MS : this.#everyMs * (2 ** Math.min(stream.failures, 10) - 1);
        stream.retryAt = now() + Math.min(HOUR_MS, backoffMs);
      });
    stream.followed = { began, ending, end };
  }

  /** @returns `none`: the BMC has no stream @throws ObmError; the reason of the signal */
  async #follow(node: string, stream: NodeStream, signal: AbortSignal): Promise<'none' | 'ended'> {
    const bmc = await this.#port.obms.redfish(node);
    const path = await eventStreamOf((request) => bmc.ask(request, signal));
    if (path === undefined) return 'none';
    await bmc.follow(path, signal, async (body) => {
      const reader = this.#readerOf(stream);
      reader.start();
      stream.state = 'open';
      try {
        await readEventStream(body, () => void reader.request('event'));
      } finally {
        await reader.close();
      }
    });
    return 'ended';
  }

  /** It reads the logs when it starts, and after events. */
  #readerOf(stream: NodeStream): Reconciler<'event'> {
    return new Reconciler({
      name: 'event stream',
      everyMs: HOUR_MS,
      pass: async ({ signal }) => {
        await setTimeout(SETTLE_MS, undefined, { signal }).catch(() => {});
        for (const poller of stream.pollers) if (!signal.aborted) await this.#port.polls.poll(poller, signal, true);
      },
      failed: this.#port.failed,
    });
  }

  async #end(nodes: readonly string[]): Promise<void> {
    const streams = nodes.flatMap((node) => this.#streams.get(node) ?? []);
    for (const node of nodes) this.#streams.delete(node);
    for (const { followed } of streams) followed?.ending.abort();
    await Promise.all(streams.map(({ followed }) => followed?.end));
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
    await this.#end([...this.#streams.keys()]);
  }
}
