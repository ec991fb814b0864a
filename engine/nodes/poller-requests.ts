/** Requests about pollers. `pollers/` runs them and publishes their results. */
import { randomUUID } from 'node:crypto';
import type { NewPoller, Page, Paged, PollerChange, PollerRecord, Pollers } from '../api-port/index.ts';
import { NodewrightError, rejectViolations } from '../define/errors.ts';
import { paced } from '../lib/pause.ts';
import type { EventPublisher } from '../outbox/event-publisher.ts';
import type { PendingEvents } from '../outbox/pending-events.ts';
import type { PollerSchedule } from '../pollers/poller-schedule.ts';
import { alertViolations } from '../pollers/severity.ts';
import type { StoredPoller } from '../pollers/stored-poller.ts';
import { type Collection, DuplicateError } from '../store/port.ts';
import { type ExistingNodes, removeFromMissing } from './dependents.ts';

const INTERVAL_MS = 60_000;
/** Concurrent writers are rare: a poll changes the record too, but seldom. */
const TRIES = 20;

export class PollerRequests implements Pollers {
  readonly #stored: Collection<StoredPoller>;
  readonly #pending: PendingEvents<StoredPoller>;
  readonly #publisher: Pick<EventPublisher, 'publish'>;
  readonly #known: ExistingNodes;
  readonly #jobs: Pick<PollerSchedule, 'schedule' | 'unschedule'>;

  constructor(
    stored: Collection<StoredPoller>,
    pending: PendingEvents<StoredPoller>,
    publisher: Pick<EventPublisher, 'publish'>,
    known: ExistingNodes,
    jobs: Pick<PollerSchedule, 'schedule' | 'unschedule'>,
  ) {
    this.#stored = stored;
    this.#pending = pending;
    this.#publisher = publisher;
    this.#known = known;
    this.#jobs = jobs;
  }

  async list({ filter, ...page }: Page): Promise<Paged<PollerRecord>> {
    const stored = this.#stored;
    const items = await stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: await paced(items, shown), total: await stored.count(filter) };
  }

  async get(id: string): Promise<PollerRecord | undefined> {
    const poller = await this.#stored.get(id);
    return poller && shown(poller);
  }

  async create({ type, node, pollInterval = INTERVAL_MS, paused = false, config }: NewPoller): Promise<PollerRecord> {
    const { command = 'sel', alerts = [] } = config ?? {};
    rejectViolations(alertViolations(alerts));
    const now = new Date().toISOString();
    const poller: StoredPoller = {
      id: randomUUID(),
      version: 1,
      type,
      node,
      key: `${node} ${command}`,
      pollInterval,
      paused,
      config: { command, alerts },
      failureCount: 0,
      lastError: null,
      restsUntil: null,
      mark: null,
      createdAt: now,
      updatedAt: now,
    };
    await unlessTaken(poller, () => this.#stored.insert(poller));
    await removeFromMissing(this.#known, [node], () => this.forget(node));
    // If this fails, the reconcile loop creates the missing job.
    await this.#jobs.schedule(poller).catch(() => {});
    return poller;
  }

  /** Updates a poller and clears its back-off: the caller wants to know the current state. */
  async update(id: string, { config, ...change }: PollerChange): Promise<PollerRecord | undefined> {
    rejectViolations(alertViolations(config?.alerts ?? []));
    for (let tries = 0; tries < TRIES; tries += 1) {
      const poller = await this.#stored.get(id);
      if (poller === undefined) return undefined;
      const anew = { failureCount: 0, lastError: null, restsUntil: null, updatedAt: new Date().toISOString() };
      const rules = { config: { ...poller.config, ...config } };
      const changed = { ...poller, ...change, ...rules, ...anew, version: poller.version + 1 };
      const [saved] = await this.#stored.replace([changed]);
      if (!saved) continue;
      if (change.pollInterval !== undefined) await this.#jobs.schedule(changed);
      return shown(changed);
    }
    throw new NodewrightError('CONFLICT', `gave up after ${TRIES} concurrent changes to the poller ${id}; try again`);
  }

  async remove(id: string): Promise<boolean> {
    const poller = await this.#stored.get(id);
    if (poller === undefined) return false;
    const { count, unpublished } = await this.#pending.remove([poller], () => [], id);
    if (unpublished !== undefined) await this.#publisher.publish([unpublished]);
    if (count === 0) return false;
    await this.#jobs.unschedule(id).catch(() => {}); // otherwise the job ends at its next run
    return true;
  }

  /** Deletes the pollers of a node; their jobs end at their next run. */
  async forget(node: string): Promise<void> {
    await this.#stored.remove({ node });
  }
}

function shown(poller: PollerRecord): PollerRecord {
  const unsupported = alertViolations(poller.config.alerts);
  return unsupported.length === 0 ? poller : { ...poller, unsupported };
}

async function unlessTaken({ node, config }: StoredPoller, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof DuplicateError)) throw error;
    throw new NodewrightError('DUPLICATE', `the node ${node} already has a poller of ${config.command}`);
  }
}
