/**
 * Makes polls: reads the logs of a machine and publishes the new entries, or takes a reading.
 *
 * 1. New entries are saved as pending events together with the read position: an entry thus becomes one event with one
 *    id, even if the process dies in between, and of two concurrent polls only one is saved.
 * 2. A poll without new entries writes nothing.
 * 3. A machine that does not answer gets a back-off, which doubles each time.
 * 4. Polls of one poller in this process wait for each other: each begins with the events that are left, which the other is about
 *    to publish. Two processes may publish an event twice, with the same id.
 */
import { randomUUID } from 'node:crypto';
import type { PollerReading } from '../../api-port/pollers.ts';
import type { EventPublisher } from '../../events/outbox/event-publisher.ts';
import { completeEvents, quietIf, type UnpublishedEvents } from '../../events/outbox/pending-event.ts';
import { type PendingEvents, pendingOf } from '../../events/outbox/pending-events.ts';
import type { SelEntry } from '../../hardware/obm/sel.ts';
import { now } from '../../platform/lib/clock.ts';
import { KeyedQueues } from '../../platform/lib/keyed-queues.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { ListedEvent } from '../../vocabulary/event.ts';
import { property } from '../../vocabulary/json.ts';
import type { HoldBlock } from '../../vocabulary/states.ts';
import { storableBeginning } from '../../vocabulary/texts.ts';
import { codeOf, messageOf } from '../../vocabulary/thrown-values.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import type { HealthRequests } from '../health/health-requests.ts';
import { type JudgedEntry, logReports } from '../health/log-reports.ts';
import { sensorReport } from '../health/sensor-reports.ts';
import { isOfLog, type LogNews, type LogObms, type LogPoller, newsOfLogs, unreadMark } from './log-news.ts';
import type { PollerData } from './poller-data.ts';
import type { Readings } from './readings.ts';
import { severityOf } from './severity.ts';
import type { StoredPoller } from './stored-poller.ts';

const BACKOFF_MAX_MS = HOUR_MS;
const MESSAGE = 500;
/** Limit of events in one document: a log that is read for the first time may have thousands of entries. */
const EVENTS_PER_DOCUMENT = 200;

export interface PollScope {
  stored: Collection<StoredPoller>;
  pending: PendingEvents<StoredPoller>;
  publisher: Pick<EventPublisher, 'publish'>;
  obms: LogObms;
  readings: Pick<Readings, 'read'>;
  data: Pick<PollerData, 'add' | 'forget'>;
  /** `blocksOn`: what the holds of a node block now. */
  holds: { blocksOn(node: string): Promise<ReadonlySet<HoldBlock>> };
  health: Pick<HealthRequests, 'report'>;
  power: { note(node: string, state: string): Promise<void> };
}

export class Polls {
  readonly #scope: PollScope;
  /** By poller. */
  readonly #turns = new KeyedQueues();

  constructor(scope: PollScope) {
    this.#scope = scope;
  }

  /** @param isHeard the BMC sends events: the back-off does not apply @returns false when the poller no longer exists */
  poll(id: string, signal: AbortSignal, isHeard = false): Promise<boolean> {
    return this.#turns.run(id, () => this.#poll(id, signal, isHeard));
  }

  async #poll(id: string, signal: AbortSignal, isHeard: boolean): Promise<boolean> {
    if (signal.aborted) return true;
    const storedPoller = await this.#scope.stored.get(id);
    if (storedPoller === undefined) return false;
    const poller = await this.#publishPoller(storedPoller);
    if (poller === undefined || poller.paused || (backsOff(poller) && !isHeard)) return true;
    const blocks = poller.node === null ? NO_BLOCKS : await this.#scope.holds.blocksOn(poller.node);
    if (blocks.has('poll')) return true;
    try {
      const isQuiet = blocks.has('alert');
      await (isOfLog(poller) ? this.#readLog(poller, isQuiet, signal) : this.#read(poller, signal));
    } catch (error) {
      if (signal.aborted) return true;
      await this.#scope.pending.replace({ ...poller, ...failureFields(poller, error) }, []);
    }
    return true;
  }

  async #readLog(poller: LogPoller, isQuiet: boolean, signal: AbortSignal): Promise<void> {
    const news = await newsOfLogs(this.#scope.obms, poller, signal);
    if (!(await this.#keep(poller, news, isQuiet)) || news.entries.length === 0) return;
    const { node, config } = poller;
    const [host = ''] = await this.#scope.obms.addressesOf(node);
    const timestamp = new Date(now()).toISOString();
    const { command = '' } = config;
    await this.#add(poller, { host, node, timestamp, [command]: news.entries.slice(-EVENTS_PER_DOCUMENT) });
  }

  async #read(poller: StoredPoller, signal: AbortSignal): Promise<void> {
    const reading = await this.#scope.readings.read(poller, signal);
    await this.#add(poller, reading);
    const { node, config } = poller;
    const power = property(reading.chassis, 'power');
    if (node !== null && typeof power === 'string') await this.#scope.power.note(node, power);
    const changes = sensorReport(config.command ?? '', reading);
    if (node !== null && changes.length > 0) await this.#scope.health.report({ node, changes });
    if (poller.failureCount > 0) await this.#scope.pending.replace({ ...poller, ...well }, []);
  }

  /** A poller that was deleted in the meantime leaves nothing. */
  async #add({ id }: StoredPoller, reading: PollerReading): Promise<void> {
    await this.#scope.data.add(id, reading);
    if ((await this.#scope.stored.get(id)) === undefined) await this.#scope.data.forget([id]);
  }

  /**
   * Saves the entries in parts; if this stops early, the mark of the last saved part is where the next poll continues.
   * @returns false if a concurrent poll was first
   */
  async #keep(poller: LogPoller, { entries, mark }: LogNews, isQuiet: boolean): Promise<boolean> {
    if (entries.length === 0 && mark === poller.mark && poller.failureCount === 0) return true;
    let at: StoredPoller | undefined = poller;
    for (let from = 0; at !== undefined && (from === 0 || from < entries.length); from += EVENTS_PER_DOCUMENT) {
      const part = entries.slice(from, from + EVENTS_PER_DOCUMENT);
      const reached = unreadMark(mark, part, entries.slice(from + part.length));
      const judged = await judge(poller, part);
      const changes = logReports(judged, poller.mark === null);
      if (changes.length > 0) await this.#scope.health.report({ node: poller.node, changes, isQuiet });
      const events = part.length === 0 ? [] : [quietIf(isQuiet, completeEvents(eventsOf(poller, judged)))];
      const saved: SavedPoll | undefined = await this.#scope.pending.replace({ ...at, ...well, mark: reached }, events);
      if (saved === undefined) return false;
      at = (await this.#scope.publisher.publish([saved.unpublished])) ? saved.found : undefined;
    }
    return true;
  }

  /**
   * @returns the poller without pending events, which a dead process or an outage may have left; undefined if they
   * could not be published, or after a concurrent change, whose process continues
   */
  async #publishPoller(poller: StoredPoller): Promise<StoredPoller | undefined> {
    const events = pendingOf(poller);
    if (events.length === 0) return poller;
    // The replacement deletes them.
    const publication = { events, published: async () => {} };
    return (await this.#scope.publisher.publish([publication]))
      ? (await this.#scope.pending.replace(poller, []))?.found
      : undefined;
  }
}

const NO_BLOCKS: ReadonlySet<HoldBlock> = new Set();

const backsOff = ({ retryAt }: StoredPoller): boolean => retryAt !== null && Date.parse(retryAt) > now();

interface SavedPoll {
  found: StoredPoller;
  unpublished: UnpublishedEvents;
}

const well = { failureCount: 0, lastError: null, retryAt: null } as const;

function failureFields({ failureCount, pollInterval }: StoredPoller, error: unknown): Partial<StoredPoller> {
  const backoffMs = Math.min(BACKOFF_MAX_MS, pollInterval * 2 ** Math.min(failureCount, 20));
  const lastError = { code: codeOf(error) || 'INTERNAL', message: storableBeginning(messageOf(error), MESSAGE) };
  return { failureCount: failureCount + 1, lastError, retryAt: new Date(now() + backoffMs).toISOString() };
}

async function judge({ config }: LogPoller, entries: readonly SelEntry[]): Promise<JudgedEntry[]> {
  const judged: JudgedEntry[] = [];
  for (const entry of entries) judged.push({ entry, severity: await severityOf(entry, config.alerts ?? []) });
  return judged;
}

const eventsOf = ({ id, node, type, config }: LogPoller, judged: readonly JudgedEntry[]): ListedEvent[] =>
  judged.map(({ entry, severity }) => ({
    id: randomUUID(),
    version: '1.0',
    type: 'polleralert',
    action: type === 'redfish' ? 'logservices.updated' : 'sel.updated',
    severity,
    typeId: id,
    createdAt: new Date(now()).toISOString(),
    nodeId: node,
    data: { pollerName: config.command, nodeId: node, alert: entry },
  }));
