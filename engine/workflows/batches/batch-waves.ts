/**
 * The waves of a batch: each reads the batch, and launches a few of its nodes, stops it, or cancels its workflows.
 *
 * 1. The id of each workflow follows from the batch and the node, and a launch under an id happens once. A wave that dies
 *    before its outcomes are saved is made again, by any process, without a second launch.
 * 2. The outcomes of a wave are saved together: a batch of thousands is not written once for each of its nodes.
 * 3. Waves choose the waiting nodes in their order: two processes that make them never launch more than the limit.
 */

import type { WorkflowControl } from '../../api-port/index.ts';
import type { Records } from '../../durable/runtime/records.ts';
import { now } from '../../platform/lib/clock.ts';
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import { byIds, inGroups, picking } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { countText } from '../../vocabulary/count-texts.ts';
import { isRejection } from '../../vocabulary/errors.ts';
import { isActive, type WorkflowStatus, workflowStatuses } from '../../vocabulary/states.ts';
import type { LaunchRequests } from '../requests/launch-requests.ts';
import { cancelUnlessEnded } from '../requests/workflow-commands.ts';
import { type BatchEntry, entriesIn, isWaiting, type StoredBatch } from './stored-batch.ts';

export interface BatchScope {
  stored: Collection<StoredBatch>;
  records: { storedWorkflows: Pick<Records['storedWorkflows'], 'pick'> };
  launches: Pick<LaunchRequests, 'launchOnce'>;
  control: Pick<WorkflowControl, 'cancel'>;
  failed(error: unknown): void;
}

/** Launches of a wave, all at a time. */
export const LAUNCHES = 50;
const STOPPED = 'BATCH_STOPPED';

type Place = [place: string, entry: BatchEntry];

export class BatchWaves {
  readonly #port: BatchScope;

  constructor(port: BatchScope) {
    this.#port = port;
  }

  /** @returns whether the next wave has something to do immediately */
  async wave(id: string): Promise<boolean> {
    const batch = await this.#port.stored.get(id);
    if (batch === undefined || !batch.pending) return false;
    if (batch.status === 'cancelled') return this.#cancelAll(batch);
    const { concurrency, maxFailures } = batch;
    const isLimited = concurrency !== null || maxFailures !== null;
    const { active, counts } = isLimited ? await this.countMembers(batch) : { active: 0, counts: { failed: 0 } };
    if (maxFailures !== null && counts.failed >= maxFailures) return this.#stop(batch, counts.failed);
    const waiting = entriesIn(batch).filter(([, entry]) => isWaiting(entry));
    const room = concurrency === null ? LAUNCHES : Math.min(LAUNCHES, Math.max(0, concurrency - active));
    return this.#launchAll(batch, waiting.slice(0, room), waiting.length);
  }

  async #launchAll(batch: StoredBatch, chosen: readonly Place[], waiting: number): Promise<boolean> {
    const { id } = batch;
    const launchedPlaces = (await Promise.all(chosen.map((place) => this.#launch(batch, place)))).filter(
      (one) => one !== null,
    );
    const saved = launchedPlaces.length > 0 ? await this.#save(id, launchedPlaces) : undefined;
    // The cancellation did not see these launches.
    if (saved?.status === 'cancelled') return (await this.#change({ id }, { pending: true })) !== undefined;
    if (launchedPlaces.length < waiting) return launchedPlaces.length > 0;
    await this.#change({ id, status: 'running' }, { status: 'finished', pending: false });
    return false;
  }

  async #launch(batch: StoredBatch, [place, { node }]: Place): Promise<Place | null> {
    const { name, options, domain, operator, team, launcherRoles, override, ticket } = batch;
    const workflow = workflowOf(batch, node);
    try {
      await this.#port.launches.launchOnce(workflow, {
        name,
        options,
        nodeId: node,
        batch: batch.id,
        ...(domain !== null && { domain }),
        ...(operator !== null && { operator }),
        ...(team !== undefined && { team }),
        ...(launcherRoles && { launcherRoles }),
        ...(override && { override }),
        ...(ticket !== undefined && { ticket }),
        isEncrypted: true,
      });
      return [place, { node, workflow }];
    } catch (error) {
      if (isRejection(error)) return [place, { node, code: error.code, message: error.message }];
      // A store that is away: a later wave tries again.
      this.#port.failed(error);
      return null;
    }
  }

  #save(id: string, launchedPlaces: readonly Place[]): Promise<StoredBatch | undefined> {
    const entries = launchedPlaces.map(([place, entry]) => [`entries.${place}`, entry]);
    return this.#change({ id }, { ...Object.fromEntries(entries), updatedAt: new Date(now()).toISOString() });
  }

  #change(filter: { id: string; status?: string }, $set: Record<string, unknown>): Promise<StoredBatch | undefined> {
    return this.#port.stored.update(filter, { $set });
  }

  async #stop(batch: StoredBatch, failures: number): Promise<false> {
    await this.#rejectRest(
      batch,
      `${countText(failures, 'workflow')} of the batch failed, and ${batch.maxFailures} may`,
    );
    await this.#change({ id: batch.id, status: 'running' }, { status: 'stopped', pending: false });
    return false;
  }

  async #rejectRest(batch: StoredBatch, message: string): Promise<void> {
    const rejected = entriesIn(batch)
      .filter(([, entry]) => isWaiting(entry))
      .map(([place, { node }]): Place => [place, { node, code: STOPPED, message }]);
    if (rejected.length > 0) await this.#save(batch.id, rejected);
  }

  async #cancelAll(batch: StoredBatch): Promise<false> {
    await this.#rejectRest(batch, 'the batch was cancelled');
    const { cancelledBy: by } = batch;
    const ids = (await this.#rows(batch)).filter(({ status }) => isActive(status)).map(({ id }) => id);
    await inGroups(each(ids), LAUNCHES, (id) => cancelUnlessEnded(this.#port.control, id, by));
    await this.#change({ id: batch.id }, { pending: false });
    return false;
  }

  /** Also of launches whose process died before it saved them. */
  async #rows(batch: StoredBatch): Promise<{ id: string; status: WorkflowStatus }[]> {
    const ids = entriesIn(batch).map(([, { node }]) => workflowOf(batch, node));
    return byIds(picking(this.#port.records.storedWorkflows, ['status']), ids);
  }

  async countMembers(batch: StoredBatch) {
    const counts = Object.fromEntries(workflowStatuses.map((status) => [status, 0])) as Record<WorkflowStatus, number>;
    for (const { status } of await this.#rows(batch)) counts[status] += 1;
    return { counts, active: counts.pending + counts.running };
  }
}

const workflowOf = ({ id }: StoredBatch, node: string): string => uuidOf(`${id} ${node}`);

async function* each<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}
