/** The power of a node, and its switches: what loses data asks for the name of the node. */
import { type PowerSwitch, powerGraphs } from '../../../client/power-graphs.ts';
import { nodeCan } from '../../data/node-can.ts';
import { type ShownNode, useHolds } from '../../data/node-records.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { inShort } from '../../parts/in-short.ts';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { PowerAnswer } from './power-fact.tsx';
import { SwitchForm, switchNode, switchTitles } from './switch-form.tsx';

export function NodePower({ node }: { node: ShownNode }) {
  const holds = useHolds(node.id).value.value;
  const reason = nodeCan.switchPower(node, holds);
  const switches = (Object.keys(powerGraphs) as PowerSwitch[]).filter((name) => name !== 'on');
  return (
    <>
      {node.obms.length > 0 && (
        <p class="actions">
          <PowerAnswer node={node} />
        </p>
      )}
      <NeedsRight owner={node.owner}>
        <div class="actions">
          <ActionButton run={() => switchNode(node.id, 'on')} reason={reason}>
            {switchTitles.on}
          </ActionButton>
          {switches.map((name) => (
            <DialogButton
              key={name}
              text={`${switchTitles[name]}…`}
              title={`${switchTitles[name]}: ${inShort(node.name)}`}
              kind="danger"
              reason={reason}
            >
              {(close) => <SwitchForm node={node} name={name} close={close} />}
            </DialogButton>
          ))}
        </div>
      </NeedsRight>
      {reason !== undefined && <p class="quiet">{inShort(reason)}</p>}
    </>
  );
}
