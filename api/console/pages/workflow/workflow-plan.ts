/** Facts about a workflow's graph by its plan: whether it destroys data, and its usual time. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isDestructive } from '../../../client/destruction.ts';
import { requestPlan } from '../../../client/shown-plan.ts';
import type { UsualTime } from '../../../client/usual-time.ts';
import { mayOperate } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { RequestError } from '../../data/request-error.ts';
import type { ShownWorkflow } from './shown-workflow.ts';

const planOf = ({ injectableName: graph, node }: ShownWorkflow) =>
  requestPlan(client, { graph, options: {} }, node === null ? undefined : { id: node });

/** A graph that no longer exists counts as destructive. @throws RequestError of the connection */
export async function mayDestroyData(workflow: ShownWorkflow): Promise<boolean> {
  try {
    return isDestructive(await planOf(workflow));
  } catch (error) {
    if (error instanceof RequestError && error.status === 0) throw error;
    return true;
  }
}

/** null: not known. Users who may not launch have no plan. */
export function useUsualTime(workflow: ShownWorkflow): UsualTime | null {
  const usual = useSignal<UsualTime | null>(null);
  useEffect(() => {
    if (!mayOperate.peek()) return;
    planOf(workflow).then(
      ({ usualMs }) => {
        usual.value = usualMs;
      },
      () => {},
    );
  }, [workflow.id]);
  return usual.value;
}
