/**
 * The waves of a bulk action: each sends the command to a few of its workflows. The holder of a lease makes them.
 *
 * 1. A wave marks its items as begun, sends the command, and saves the outcomes. If the process dies before the mark,
 *    nothing has happened; if it dies after it, the next wave of any process begins with the marked items again.
 * 2. Each command is harmless to repeat: the id of a retry follows from the action and the original, and a launch under an
 *    id happens once; a cancelled or paused workflow stays so. A resumed workflow rejects to be resumed again, which
 *    for a marked item means that it was.
 * 3. A cancellation changes the status only, by its condition: items without a mark are left, marked ones end.
 */
import type { WorkflowControl } from '../../api-port/workflows.ts';
import { now } from '../../platform/lib/clock.ts';
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import type { Collection } from '../../platform/store/port.ts';
import { isRejection, NodewrightError } from '../../vocabulary/errors.ts';
import type { LaunchRequests } from '../requests/launch-requests.ts';
import {
  type BulkItem,
  itemsIn,
  type PlacedItem,
  type StoredBulkAction,
  unknownWorkflow,
} from './stored-bulk-action.ts';

export interface WavesScope {
  actions: Collection<StoredBulkAction>;
  launches: Pick<LaunchRequests, 'retryOnce'>;
  control: Pick<WorkflowControl, 'cancel' | 'pause' | 'resume'>;
  failed(error: unknown): void;
}

/** Commands of a wave, all at a time. */
const COMMANDS_PER_WAVE = 50;

export class BulkActionWaves {
  readonly #port: WavesScope;

  constructor(port: WavesScope) {
    this.#port = port;
  }

  /** @returns whether the next wave has something to do immediately */
  async wave(id: string): Promise<boolean> {
    const action = await this.#port.actions.get(id);
    if (action === undefined || !action.pending) return false;
    const open = itemsIn(action).filter(([, item]) => item.status === undefined);
    const begun = open.filter(([, item]) => item.begun === true);
    const room = action.status === 'cancelled' ? 0 : Math.max(0, COMMANDS_PER_WAVE - begun.length);
    const next = open.filter(([, item]) => item.begun === undefined).slice(0, room);
    if (begun.length + next.length === 0) return this.#finish(id);
    if (next.length > 0 && !(await this.#mark(id, next))) return true;
    const outcomes = await Promise.all([...begun, ...next].map((placed) => this.#send(action, placed)));
    const done = outcomes.filter((outcome) => outcome !== undefined);
    if (done.length > 0) await this.#save({ id }, done);
    return done.length > 0;
  }

  async #finish(id: string): Promise<false> {
    await this.#port.actions.update({ id, status: 'running' }, { $set: { status: 'finished' } });
    await this.#port.actions.update({ id }, { $set: { pending: false } });
    return false;
  }

  /** @returns whether it is still running */
  async #mark(id: string, places: readonly PlacedItem[]): Promise<boolean> {
    const marked = places.map(([place, item]): PlacedItem => [place, { ...item, begun: true }]);
    return (await this.#save({ id, status: 'running' }, marked)) !== undefined;
  }

  #save(filter: { id: string; status?: string }, places: readonly PlacedItem[]) {
    const items = Object.fromEntries(places.map(([place, item]) => [`items.${place}`, item]));
    return this.#port.actions.update(filter, { $set: { ...items, updatedAt: new Date(now()).toISOString() } });
  }

  async #send(action: StoredBulkAction, [place, item]: PlacedItem): Promise<PlacedItem | undefined> {
    const { workflow } = item;
    try {
      const newWorkflow = await this.#command(action, item);
      return [place, { workflow, begun: true, status: 'succeeded', ...(newWorkflow !== undefined && { newWorkflow }) }];
    } catch (error) {
      if (isRejection(error))
        return [place, { workflow, begun: true, status: 'rejected', code: error.code, message: error.message }];
      // A store that is away: a later wave tries again.
      this.#port.failed(error);
      return undefined;
    }
  }

  /** @returns the id of the new workflow of a retry @throws NodewrightError the rejection of the command */
  async #command(action: StoredBulkAction, { workflow, begun }: BulkItem): Promise<string | undefined> {
    const { id, command, options, acknowledge, createdBy, owner, launcherRoles } = action;
    if (command === 'retry') {
      const newWorkflow = uuidOf(`${id} ${workflow}`);
      const origin = {
        ...(createdBy !== null && { operator: createdBy }),
        // The node may have changed hands.
        ...(owner !== undefined && { team: owner }),
        ...(launcherRoles && { launcherRoles }),
      };
      const request = { storedOptions: options, acknowledge, ...origin };
      if (!(await this.#port.launches.retryOnce(newWorkflow, workflow, request))) throw unknownWorkflow(workflow);
      return newWorkflow;
    }
    const row = await this.#port.control[command](workflow, createdBy ?? undefined, launcherRoles).catch((error) => {
      if (command === 'resume' && begun === true && isConflict(error)) return {};
      throw error;
    });
    if (row === undefined) throw unknownWorkflow(workflow);
    return undefined;
  }
}

const isConflict = (error: unknown): boolean => error instanceof NodewrightError && error.code === 'CONFLICT';
