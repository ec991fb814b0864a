/**
 * A launch in the order of its decisions: the graph and its options, beside them the plan that the daemon makes of them,
 * below them the start. A graph that destroys data needs the name of its node before.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { LaunchNode } from '../../data/launch-node.ts';
import { ActionButton } from '../action-button.tsx';
import type { NodeFilter } from '../node-filter/node-filter.ts';
import { GraphChoice } from './graph-choice.tsx';
import { GraphLaunch } from './graph-launch.tsx';
import { LaunchFoot } from './launch-foot.tsx';
import type { LaunchStartProps } from './launch-start.tsx';
import { TargetChoice } from './target-choice.tsx';
import '../../styles/launch.css';

export interface LaunchFormProps {
  /** Absent: it is chosen first. */
  graph?: string;
  /** Absent: they are chosen too. */
  nodes?: readonly LaunchNode[];
  /** Must be confirmed like a destructive graph, although the graph erases nothing. */
  warning?: string;
  /**
   * The last step; absent: the launch.
   * @param filter that selects the nodes; undefined: they are chosen one by one
   */
  start?: (launch: LaunchStartProps, filter: NodeFilter | undefined) => ComponentChildren;
}

export function LaunchForm({ graph: given, nodes, warning, start }: LaunchFormProps) {
  const graph = useSignal(given ?? '');
  const chosen = useSignal<{ nodes: readonly LaunchNode[] | undefined; filter?: NodeFilter | undefined }>({
    nodes: [],
  });
  const targets = nodes ?? chosen.value.nodes;
  const missing = graph.value === '' ? 'Choose a graph.' : targets === undefined ? 'Choose the nodes.' : undefined;
  return (
    <div class="launch launch-sides">
      {given === undefined ? (
        <GraphChoice
          value={graph.value}
          choose={(name) => {
            graph.value = name;
          }}
        />
      ) : null}
      {nodes === undefined ? (
        <TargetChoice
          choose={(chosenNodes, filter) => {
            chosen.value = { nodes: chosenNodes, filter };
          }}
        />
      ) : null}
      {targets !== undefined && missing === undefined ? (
        <GraphLaunch
          key={graph.value}
          graph={graph.value}
          nodes={targets}
          warning={warning}
          start={start && ((launch) => start(launch, chosen.value.filter))}
        />
      ) : (
        <LaunchFoot reason={missing}>
          <ActionButton kind="main" run={async () => undefined} reason={missing}>
            Launch
          </ActionButton>
        </LaunchFoot>
      )}
    </div>
  );
}
