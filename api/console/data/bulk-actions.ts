/** One command to many workflows, followed to its end. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { BulkAction } from './bulk-results.ts';
import { client } from './daemon-client.ts';

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
  /** For a retry: the tasks that run once and may run again; true: all. */
  acknowledge?: true | string[];
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
