/**
 * Plans of a launch while its options are entered: one for each kind of node, since a SKU may have tasks of its own, and one for
 * each held node, since its hold may block the launch; if a plan destroys data, of further nodes too, since each has drives of its
 * own. A plan that is older than the last one that was asked for is forgotten.
 */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isDestructive } from '../../client/destruction.ts';
import type { TaskOptions } from '../../client/launch-options.ts';
import type { OptionSchemas } from '../../client/option-fields.ts';
import { requestPlan } from '../../client/shown-plan.ts';
import { client } from './daemon-client.ts';
import { inTurns } from './in-turns.ts';
import type { LaunchNode, PlanOfNode } from './launch-node.ts';

export interface LivePlans {
  plans: ReadonlySignal<readonly PlanOfNode[] | undefined>;
  problem: ReadonlySignal<unknown>;
  /** The plans are those of other options, or of another graph. */
  isPlanning: boolean;
}

/** Kinds of nodes that are planned for. */
export const PLANS = 20;
/** Nodes whose drives are shown, and held nodes whose holds are. */
export const NODES_PLANNED = 100;
/** ms without a change of the options. */
const TYPING_MS = 350;

/** One node of each SKU, a free one if there is one. */
function nodePerSku(nodes: readonly LaunchNode[]): LaunchNode[] {
  const samples = new Map<string | null, LaunchNode>();
  for (const node of nodes) {
    const other = samples.get(node.sku);
    if (other === undefined || (isBusy(other) && !isBusy(node))) samples.set(node.sku, node);
  }
  return [...samples.values()].slice(0, PLANS);
}

const isBusy = ({ active = null }: LaunchNode): boolean => active !== null;

const heldAmong = (nodes: readonly LaunchNode[]): LaunchNode[] =>
  nodes.filter(({ held = [] }) => held.length > 0).slice(0, NODES_PLANNED);

/** @param graph '': none yet @param options undefined: they cannot be read yet */
export function usePlans(graph: string, nodes: readonly LaunchNode[], options: TaskOptions | undefined): LivePlans {
  const plans = useSignal<readonly PlanOfNode[] | undefined>(undefined);
  const problem = useSignal<unknown>(undefined);
  const answered = useSignal('');
  const samples = [...new Set([...nodePerSku(nodes), ...heldAmong(nodes)])];
  const ids = [...samples, ...nodes.slice(0, NODES_PLANNED)].map(({ id }) => id);
  const requestKey = JSON.stringify([graph, ids, options ?? null]);
  useEffect(() => {
    if (graph === '' || options === undefined) return;
    let isAsked = true;
    const plan = async () => {
      const plansOf = (targets: readonly (LaunchNode | undefined)[]) =>
        inTurns(targets, async (node) => ({ node, plan: await requestPlan(client, { graph, options }, node) }));
      try {
        const nodePlans = await plansOf(samples.length === 0 ? [undefined] : samples);
        if (isAsked && nodePlans.some((each) => isDestructive(each.plan)))
          nodePlans.push(...(await plansOf(nodes.filter((node) => !samples.includes(node)).slice(0, NODES_PLANNED))));
        if (isAsked) [plans.value, problem.value] = [nodePlans, undefined];
      } catch (error) {
        if (isAsked) [plans.value, problem.value] = [undefined, error];
      }
      if (isAsked) answered.value = requestKey;
    };
    const timer = setTimeout(() => void plan(), TYPING_MS);
    return () => {
      isAsked = false;
      clearTimeout(timer);
    };
  }, [requestKey]);
  return { plans, problem, isPlanning: answered.value !== requestKey };
}

/** The graphs whose run may destroy data; one that has no plan, such as a deleted one, counts as such. */
export async function destructiveGraphs(graphs: readonly string[]): Promise<string[]> {
  const names = [...new Set(graphs)];
  const areDestructive = await inTurns(names, (graph) =>
    requestPlan(client, { graph, options: {} }, undefined).then(isDestructive, () => true),
  );
  return names.filter((_, index) => areDestructive[index]);
}

/** Tasks whose schemas are read at most; options of others can be given as JSON. */
const TASKS = 100;

/** The schemas of the tasks' options. A task that cannot be read has none. */
export async function readSchemas(taskNames: readonly string[]): Promise<OptionSchemas> {
  const names = [...new Set(taskNames)].slice(0, TASKS);
  const schemas = new Map<string, Record<string, unknown>>();
  await inTurns(names, async (name) => {
    const answer = await client.get('/workflows/tasks/:name', { params: { name } }).catch(() => undefined);
    const { optionsSchema } = (answer?.body ?? {}) as { optionsSchema?: unknown };
    if (typeof optionsSchema === 'object' && optionsSchema !== null)
      schemas.set(name, optionsSchema as Record<string, unknown>);
  });
  return schemas;
}
