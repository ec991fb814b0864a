/** One command to many workflows, followed to its end. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { GetAnswer } from '../../client/requests.ts';
import { client } from './daemon-client.ts';

export type BulkAction = GetAnswer<'/workflows/actions/:id'>;

/** ms between two looks at the action. */
const LOOK_AGAIN_MS = 500;

export interface FollowedAction {
  /** undefined: none has begun. */
  action: ReadonlySignal<BulkAction | undefined>;
  /** Resolves when it has ended. @throws RequestError */
  follow: (id: string) => Promise<void>;
  /** @throws RequestError */
  start: (request: BulkRequest) => Promise<void>;
}

interface BulkRequest {
  command: BulkAction['command'];
  ids: string[];
  /** For a retry: tasks that run once may run again. */
  acknowledge?: true;
}

/** @param ended called when an action has ended */
export function useBulkAction(ended: () => void): FollowedAction {
  const action = useSignal<BulkAction | undefined>(undefined);
  const follow = async (id: string) => {
    for (;;) {
      action.value = (await client.get('/workflows/actions/:id', { params: { id } })).body;
      if (action.value.status !== 'running') break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    ended();
  };
  const start = async (request: BulkRequest) =>
    follow((await client.post('/workflows/actions', { body: request })).body.id);
  return { action, follow, start };
}

/** Those whose retry may repeat what a task has done already. */
export const unsafeRetries = ({ items }: BulkAction): string[] =>
  items.filter(({ code }) => code === 'RETRY_UNSAFE').map(({ workflow }) => workflow);

/** `6 retried, 2 rejected: RETRY_UNSAFE`. */
export function resultText({ command, status, items }: BulkAction): string {
  const rejected = items.filter(({ status: itemStatus }) => itemStatus === 'rejected');
  const codes = [...new Set(rejected.map(({ code }) => code))].join(', ');
  const done = items.filter(({ status: itemStatus }) => itemStatus === 'succeeded').length;
  const pending = status === 'running' ? `, ${items.length - done - rejected.length} pending` : '';
  return `${done} ${participles[command]}${rejected.length === 0 ? '' : `, ${rejected.length} rejected: ${codes}`}${pending}`;
}

const participles: Record<BulkAction['command'], string> = {
  retry: 'retried',
  cancel: 'cancelled',
  pause: 'paused',
  resume: 'resumed',
};
