/** Switches a node, by a workflow, as `nw node power` does. */
import { powerGraphs } from '../../../client/power-graphs.ts';
import { mayOperate } from '../../data/current-user.ts';
import { busyText, type ShownNode } from '../../data/node-records.ts';
import { inShort } from '../../parts/in-short.ts';
import { LaunchButton } from '../../parts/launch/launch-button.tsx';

const titles = { on: 'Switch on', off: 'Switch off', reset: 'Reset', reboot: 'Reboot' } as const;

export function NodePower({ node }: { node: ShownNode }) {
  const switches = Object.entries(titles) as [keyof typeof titles, string][];
  return (
    <>
      {node.obms.length === 0 && <p>No access to a BMC is set up, so the power of the node cannot be switched.</p>}
      {node.active !== null && <p>{busyText(node.active)}</p>}
      <div class="actions">
        {switches.map(([name, title]) => (
          <LaunchButton
            key={name}
            title={`${title}: ${inShort(node.name)}`}
            nodes={[node]}
            disabled={node.obms.length === 0 || node.active !== null}
            {...launchOf(name)}
          >
            {title}…
          </LaunchButton>
        ))}
      </div>
      {!mayOperate.value && <p class="quiet">Your role may not switch nodes.</p>}
    </>
  );
}

function launchOf(name: keyof typeof titles) {
  const { graph, warning }: { graph: string; warning?: string } = powerGraphs[name];
  return warning === undefined ? { graph } : { graph, warning: `The node is ${warning}.`, kind: 'danger' as const };
}
