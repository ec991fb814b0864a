/** The state of a batch while it is watched: the daemon launches every two seconds, and so often it is read. */
import { setTimeout as pause } from 'node:timers/promises';
import { isActive, type WorkflowStatus } from '../../../engine/vocabulary/states.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { isPassing } from '../api-error.ts';
import type { Client } from '../client.ts';
import { nodeNames, readByIds } from '../node-names.ts';
import type { Workflow } from '../workflow-of.ts';

export type Batch = GetAnswer<'/batches/:id'>;
/** Only what is shown. */
export type BatchMember = Pick<Workflow, 'id' | 'node' | 'status' | 'progress' | 'error' | 'updatedAt'>;

export interface BatchState {
  batch: Batch;
  /** By id, in the order of their launches. */
  members: ReadonlyMap<string, BatchMember>;
  /** Names of nodes, by id. */
  names: ReadonlyMap<string | null, string>;
  /** The reason why the daemon does not answer; null: it does. */
  away: string | null;
}

const POLL_INTERVAL_MS = 2_000;
const WORKFLOW_FIELDS = 'node,status,progress,error,updatedAt';

export const countIn = ({ counts }: Batch, status: WorkflowStatus): number =>
  (counts as Partial<Record<WorkflowStatus, number>>)[status] ?? 0;

/** Whether nothing of it is launched or active any more. */
export const hasEnded = (batch: Batch): boolean =>
  (batch.status !== 'running' || batch.waiting.length === 0) &&
  countIn(batch, 'pending') + countIn(batch, 'running') === 0;

/** Such as `2 running, 3 succeeded, 1 rejected`. */
export function countsOf({ counts, rejected, waiting }: Batch): string {
  const all = { ...counts, rejected: rejected.length, waiting: waiting.length };
  const present = Object.entries(all).filter(([, number]) => number > 0);
  return present.map(([name, number]) => `${number} ${name}`).join(', ') || 'empty';
}

/** Those that did not succeed come first. */
export function failedFirst<T extends Pick<Workflow, 'status'>>(members: readonly T[]): T[] {
  const rankOf = ({ status }: T) => ['failed', 'cancelled', 'running', 'pending', 'succeeded'].indexOf(status);
  return members.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Resolves with the last state: at the end of the batch, or when the signal is aborted. */
export async function watchBatch(
  client: Client,
  id: string,
  signal: AbortSignal,
  show: (state: BatchState) => void,
): Promise<BatchState> {
  let state = await readState(client, id, { members: new Map(), names: new Map() });
  show(state);
  while (!signal.aborted && !hasEnded(state.batch)) {
    await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => {});
    try {
      state = await readState(client, id, state);
    } catch (error) {
      if (!isPassing(error)) throw error;
      state = { ...state, away: messageOf(error) };
    }
    show(state);
  }
  return state;
}

async function readState(
  client: Client,
  id: string,
  before: Pick<BatchState, 'members' | 'names'>,
): Promise<BatchState> {
  const { body: batch } = await client.get('/batches/:id', { params: { id } });
  const members = new Map(before.members);
  const isOpen = ({ workflow }: Batch['launched'][number]) =>
    isActive(before.members.get(workflow)?.status ?? 'pending');
  const open = batch.launched.filter(isOpen).map(({ workflow }) => workflow);
  const read = async (id: string, $top: number) =>
    (await client.get('/workflows', { query: { id, fields: WORKFLOW_FIELDS, $top } })).body;
  for (const [workflow, member] of await readByIds(open, read)) members.set(workflow, member);
  const unnamed = [...members.values()].flatMap(({ node }) => (before.names.has(node) ? [] : [node]));
  const names = new Map([...before.names, ...(await nodeNames(client, unnamed))]);
  return { batch, members, names, away: null };
}
