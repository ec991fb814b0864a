/**
 * A launch in the order of its decisions: the graph, its options, the plan that the daemon makes of them, the start. A
 * graph that destroys data needs the name of its node before.
 */
import { useSignal } from '@preact/signals';
import { mayOperate } from '../../data/current-user.ts';
import type { LaunchNode } from '../../data/plan-data.ts';
import { GraphChoice } from './graph-choice.tsx';
import { GraphLaunch } from './graph-launch.tsx';
import { type ChosenNode, chosenNode, NodeChoice } from './node-choice.tsx';
import '../../styles/launch.css';

export interface LaunchFormProps {
  /** Absent: it is chosen first. */
  graph?: string;
  /** Absent: one node is chosen, or none. */
  nodes?: readonly LaunchNode[];
  /** Must be confirmed like a destructive graph, although the graph erases nothing. */
  warning?: string;
}

export function LaunchForm({ graph: given, nodes, warning }: LaunchFormProps) {
  const graph = useSignal(given ?? '');
  const chosen = useSignal<ChosenNode>('none');
  if (!mayOperate.value) return <p class="quiet">Your role may not start workflows.</p>;
  const node = chosenNode(chosen.value);
  const targets = nodes ?? (node === undefined ? [] : [node]);
  const isChosen = graph.value !== '' && (nodes !== undefined || chosen.value === 'none' || node !== undefined);
  return (
    <div class="launch">
      {given === undefined ? (
        <GraphChoice
          value={graph.value}
          choose={(name) => {
            graph.value = name;
          }}
        />
      ) : null}
      {nodes === undefined ? (
        <NodeChoice
          choose={(nodeChoice) => {
            chosen.value = nodeChoice;
          }}
        />
      ) : null}
      {isChosen && <GraphLaunch key={graph.value} graph={graph.value} nodes={targets} warning={warning} />}
    </div>
  );
}
