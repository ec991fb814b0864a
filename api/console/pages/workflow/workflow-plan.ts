/** The plan of a workflow: whether it destroys data, the inputs of its tasks, and their usual times. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isDestructive } from '../../../client/destruction.ts';
import type { TaskOptions } from '../../../client/launch-options.ts';
import { requestPlan, type ShownPlan } from '../../../client/shown-plan.ts';
import { mayOperate } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { RequestError } from '../../data/request-error.ts';
import type { ShownWorkflow } from './shown-workflow.ts';

const CACHED_PLANS = 20;
const plans = new Map<string, Promise<ShownPlan>>();

/** As the workflow would be launched now: a graph may have changed since. */
function planOf({ id, injectableName: graph, node, options }: ShownWorkflow): Promise<ShownPlan> {
  const cachedPlan = plans.get(id);
  if (cachedPlan !== undefined) return cachedPlan;
  const [oldest] = plans.keys();
  if (plans.size >= CACHED_PLANS && oldest !== undefined) plans.delete(oldest);
  const launch = { graph, options: options as TaskOptions };
  const plan = requestPlan(client, launch, node === null ? undefined : { id: node });
  plans.set(id, plan);
  plan.catch(() => plans.delete(id));
  return plan;
}

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
export function usePlan(workflow: ShownWorkflow): ShownPlan | null {
  const plan = useSignal<ShownPlan | null>(null);
  useEffect(() => {
    if (!mayOperate.peek()) return;
    planOf(workflow).then(
      (shownPlan) => {
        plan.value = shownPlan;
      },
      () => {},
    );
  }, [workflow.id]);
  return plan.value;
}
