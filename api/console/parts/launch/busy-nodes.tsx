/** Which of several nodes are busy, and by what, before the launch: it would reject them. */
import type { LaunchNode } from '../../data/plan-data.ts';
import { inShort } from '../in-short.ts';
import { WorkflowLink } from '../links.tsx';
import { Ago } from '../time.tsx';

/** Nodes that are named. */
const NODES_SHOWN = 20;

export function BusyNodes({ nodes }: { nodes: readonly LaunchNode[] }) {
  const busy = nodes.flatMap(({ id, name, active = null }) => (active === null ? [] : [{ id, name, active }]));
  if (nodes.length < 2 || busy.length === 0) return null;
  return (
    <div class="problem" role="alert">
      <p>
        {busy.length} of {nodes.length} nodes are busy. The launch would reject these:
      </p>
      <ul>
        {busy.slice(0, NODES_SHOWN).map(({ id, name, active }) => (
          <li key={id}>
            {inShort(name)}: {active.name}, <WorkflowLink id={active.id} />, began <Ago at={active.since} />
          </li>
        ))}
      </ul>
      {busy.length > NODES_SHOWN && <p>And {busy.length - NODES_SHOWN} more.</p>}
    </div>
  );
}
