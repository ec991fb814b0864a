/** The children of a workflow that are unfolded in its drawing. */
import { type Signal, useSignal } from '@preact/signals';
import { prefixOf } from '../../../client/graph-layout.ts';
import { client } from '../../data/daemon-client.ts';
import { machineOf } from '../../data/graph-machines.ts';
import { useLive } from '../../data/live.ts';
import type { UnfoldedGraph } from '../../parts/graph/drawing-props.ts';
import type { BelowWorkflow } from './below-workflows.ts';
import { childrenByLabel, unfoldedIn } from './child-labels.ts';
import { movesIn, takenSteps } from './history-steps.ts';
import { inspectedTask } from './inspected-task.ts';
import type { ShownTask, ShownWorkflow } from './shown-workflow.ts';

export interface UnfoldedChild extends UnfoldedGraph {
  workflow: ShownWorkflow;
}

/** Lines of its history. */
const LINES = 1_000;

async function readChild(label: string, id: string): Promise<UnfoldedChild> {
  const [{ body: workflow }, { body: lines }] = await Promise.all([
    client.get('/workflows/:id', { params: { id } }),
    client.get('/workflows/:id/history', { params: { id }, query: { $top: LINES } }),
  ]);
  const { injectableName, definitionHash, value: states, tasks } = workflow;
  const view = await machineOf(injectableName, definitionHash);
  return { label, workflow, view, states, tasks, moves: movesIn(takenSteps(lines), lines.length) };
}

interface UnfoldedChildren {
  /** By the labels of the tasks that run them. */
  children: ReadonlyMap<string, BelowWorkflow>;
  labels: Signal<ReadonlySet<string>>;
  unfolded: readonly UnfoldedChild[];
}

/** @param all below the same top */
export function useUnfoldedChildren({ id }: ShownWorkflow, all: readonly BelowWorkflow[]): UnfoldedChildren {
  const labels = useSignal<ReadonlySet<string>>(new Set());
  const children = childrenByLabel(id, all);
  const wanted = unfoldedIn(children, labels.value);
  const ids = new Set(wanted.map(([, child]) => child.id));
  const { value } = useLive(
    `unfolded ${wanted.map(([label, child]) => `${label} ${child.id}`).join()}`,
    () => Promise.all(wanted.map(([label, child]) => readChild(label, child.id))),
    ({ typeId }) => ids.has(typeId),
  );
  return { children, labels, unfolded: value.value ?? [] };
}

/** The task that is looked at, in the workflow or in a child that is unfolded. */
export function inspectedIn(
  workflow: ShownWorkflow,
  unfolded: readonly UnfoldedChild[],
  chosen: string | undefined,
): { workflow: ShownWorkflow; task: ShownTask } | undefined {
  const task = inspectedTask(workflow, chosen);
  if (task !== undefined) return { workflow, task };
  for (const child of unfolded) {
    const inner = child.workflow.tasks.find(({ label }) => prefixOf(child.label) + label === chosen);
    if (inner !== undefined) return { workflow: child.workflow, task: inner };
  }
  return undefined;
}
