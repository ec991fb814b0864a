/** Requests about pollers. `inventory/pollers/` runs them and publishes their results. */
import { randomUUID } from 'node:crypto';
import type {
  NewPoller,
  Page,
  PagedList,
  PollerChange,
  PollerReading,
  PollerRecord,
  Pollers,
} from '../../api-port/index.ts';
import type { EventPublisher } from '../../events/outbox/event-publisher.ts';
import type { PendingEvents } from '../../events/outbox/pending-events.ts';
import type { Cipher } from '../../platform/secrets/secrets.ts';
import { type Collection, DuplicateError } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { type JsonObject, objectIn } from '../../vocabulary/json.ts';
import { checkAccess, checkConfig, pollerKeyOf, split, withDefaults } from '../pollers/poller-config.ts';
import type { PollerData } from '../pollers/poller-data.ts';
import type { PollerSchedule } from '../pollers/poller-schedule.ts';
import type { StoredPoller } from '../pollers/stored-poller.ts';
import { type ExistingNodes, removeFromMissing } from './dependents.ts';

const INTERVAL_MS = 60_000;
/** Concurrent writers are rare: a poll changes the record too, but seldom. */
const CHANGE_TRIES = 20;

export class PollerRequests implements Pollers {
  readonly #stored: Collection<StoredPoller>;
  readonly #pending: PendingEvents<StoredPoller>;
  readonly #publisher: Pick<EventPublisher, 'publish'>;
  readonly #existingNodes: ExistingNodes;
  readonly #data: PollerData;
  readonly #cipher: Cipher;
  readonly #jobs: Pick<PollerSchedule, 'schedule' | 'unschedule'>;

  constructor(
    stored: Collection<StoredPoller>,
    pending: PendingEvents<StoredPoller>,
    publisher: Pick<EventPublisher, 'publish'>,
    existingNodes: ExistingNodes,
    jobs: Pick<PollerSchedule, 'schedule' | 'unschedule'>,
    data: PollerData,
    cipher: Cipher,
  ) {
    this.#stored = stored;
    this.#pending = pending;
    this.#publisher = publisher;
    this.#existingNodes = existingNodes;
    this.#jobs = jobs;
    this.#data = data;
    this.#cipher = cipher;
  }

  async list({ filter, ...page }: Page): Promise<PagedList<PollerRecord>> {
    const stored = this.#stored;
    const items = await stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: items.map(pollerRecord), total: await stored.count(filter) };
  }

  async get(id: string): Promise<PollerRecord | undefined> {
    const poller = await this.#stored.get(id);
    return poller && pollerRecord(poller);
  }

  async data(id: string): Promise<PollerReading[] | undefined> {
    return (await this.#stored.get(id)) && this.#data.of(id);
  }

  async create({ type, node = null, config, ...given }: NewPoller): Promise<PollerRecord> {
    const { pollInterval = INTERVAL_MS, paused = false } = given;
    const { secrets, ...plain } = split(withDefaults(type, config ?? {}));
    checkConfig(type, node, plain.config);
    checkAccess(type, plain.config, secrets);
    const now = new Date().toISOString();
    const poller: StoredPoller = {
      id: randomUUID(),
      version: 1,
      type,
      node,
      key: pollerKeyOf(type, node, plain.config),
      pollInterval,
      paused,
      ...plain,
      ...this.#encryptSecrets(secrets),
      failureCount: 0,
      lastError: null,
      retryAt: null,
      mark: null,
      createdAt: now,
      updatedAt: now,
    };
    await unlessTaken(poller, () => this.#stored.insert(poller));
    if (node !== null) await removeFromMissing(this.#existingNodes, [node], () => this.forget(node));
    // If this fails, the reconcile loop creates the missing job.
    await this.#jobs.schedule(poller).catch(() => {});
    return pollerRecord(poller);
  }

  #encryptSecrets(secrets: JsonObject): Pick<StoredPoller, 'access'> {
    return Object.keys(secrets).length === 0 ? {} : { access: this.#cipher.encrypt(secrets) };
  }

  /** Updates a poller and clears its back-off: the caller wants to know the current state. */
  async update(id: string, { config, ...change }: PollerChange): Promise<PollerRecord | undefined> {
    const { secrets, config: plain } = split(config ?? {});
    for (let tries = 0; tries < CHANGE_TRIES; tries += 1) {
      const poller = await this.#stored.get(id);
      if (poller === undefined) return undefined;
      const anew = { failureCount: 0, lastError: null, retryAt: null, updatedAt: new Date().toISOString() };
      const rules = { config: { ...poller.config, ...plain } };
      checkConfig(poller.type, poller.node, rules.config);
      const before = objectIn(poller.access && this.#cipher.decrypt(poller.access));
      checkAccess(poller.type, rules.config, { ...before, ...secrets });
      const access = this.#encryptSecrets({ ...before, ...secrets });
      const changed = { ...poller, ...change, ...rules, ...access, ...anew, version: poller.version + 1 };
      const [saved] = await this.#stored.replace([changed]);
      if (!saved) continue;
      if (change.pollInterval !== undefined) await this.#jobs.schedule(changed);
      return pollerRecord(changed);
    }
    throw new NodewrightError(
      'CONFLICT',
      `gave up after ${CHANGE_TRIES} concurrent changes to the poller ${id}; try again`,
    );
  }

  async remove(id: string): Promise<boolean> {
    const poller = await this.#stored.get(id);
    if (poller === undefined) return false;
    const { count, unpublished } = await this.#pending.remove([poller], () => [], id);
    if (unpublished !== undefined) await this.#publisher.publish([unpublished]);
    if (count === 0) return false;
    await this.#data.forget([id]);
    await this.#jobs.unschedule(id).catch(() => {}); // otherwise the job ends at its next run
    return true;
  }

  /** Deletes the pollers of a node; their jobs end at their next run. */
  async forget(node: string): Promise<void> {
    const ids = (await this.#stored.find({ node })).map(({ id }) => id);
    await this.#stored.remove({ node });
    if (ids.length > 0) await this.#data.forget(ids);
  }
}

const pollerRecord = ({ access: _, ...poller }: StoredPoller): PollerRecord => poller;

async function unlessTaken({ node, config }: StoredPoller, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof DuplicateError)) throw error;
    throw new NodewrightError('DUPLICATE', `the node ${node} already has a poller of ${config.command}`);
  }
}
