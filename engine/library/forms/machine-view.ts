/** A graph's machine as JSON, for drawing: states, transitions and invokes. A list of tasks has its tasks beside it. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { MachineView, StateView, TransitionView } from '../../vocabulary/machine-shape.ts';
import type { Graph } from '../types.ts';
import { predecessors } from './predecessors.ts';

export function machineView(graph: Graph): MachineView {
  const waits = predecessors(graph);
  return {
    graph: graph.name,
    definitionHash: graph.hash,
    kind: graph.kind,
    root: stateView(graph.machine.root, invokeIn(graph)),
    tasks: [...graph.labels.values()]
      .filter(({ compensates }) => compensates === undefined)
      .map(({ label, task }) => ({ label, taskName: task.name, waitsFor: waits.get(label) ?? [] })),
  };
}

/** The view of a machine that belongs to no graph: its labels are the sources of its invokes. */
export const stateViewOf = ({ root }: AnyStateMachine): StateView =>
  stateView(root, (src, id) => ({ id, label: src, taskName: null }));

type InvokeView = StateView['invokes'][number];

const invokeIn =
  (graph: Graph) =>
  (src: string, id: string): InvokeView => {
    const label = graph.labelOf(src, id);
    return { id, label, taskName: graph.labels.get(label)?.task.name ?? null };
  };

function stateView(node: AnyStateNode, invokeOf: (src: string, id: string) => InvokeView): StateView {
  const transitions = [...node.transitions].flatMap(([event, all]) => all.map((one) => transitionView(event, one)));
  return {
    path: node.path,
    type: node.type,
    initial: node.type === 'compound' ? (node.initial.target?.[0]?.key ?? null) : null,
    tags: [...node.tags],
    invokes: node.invoke.map(({ src, id }) => invokeOf(String(src), id)),
    transitions: [...transitions, ...(node.always ?? []).map((one) => transitionView('', one))],
    states: Object.values(node.states).map((child) => stateView(child, invokeOf)),
  };
}

const transitionView = (event: string, { target = [], guard }: AnyTransitionDefinition): TransitionView => ({
  event,
  targets: target.map((node: AnyStateNode) => node.path.join('.')),
  guard: guardName(guard),
});

function guardName(guard: unknown): string | null {
  if (guard === undefined) return null;
  if (typeof guard === 'string') return guard;
  const type = typeof guard === 'object' && guard !== null && 'type' in guard ? guard.type : undefined;
  return typeof type === 'string' ? type : 'inline';
}
