/** Switches the power of a node, soft or hard, after its name is typed. */
import { useSignal } from '@preact/signals';
import { MINUTE_MS } from '../../../../engine/vocabulary/units.ts';
import { type PowerSwitch, powerGraphs } from '../../../client/power-graphs.ts';
import { client } from '../../data/daemon-client.ts';
import type { ShownNode } from '../../data/node-records.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ConfirmName, isTyped, unconfirmedReason } from '../../parts/confirm-name.tsx';

export const switchTitles = {
  on: 'Switch on',
  off: 'Switch off',
  reset: 'Reset',
  reboot: 'Power cycle',
} as const satisfies Record<PowerSwitch, string>;

/** An operating system may take this long to shut down. */
const SOFT_MS = 5 * MINUTE_MS;

export function switchNode(identifier: string, name: PowerSwitch, isSoft = false) {
  const options = isSoft ? { defaults: { force: false, timeoutMs: SOFT_MS } } : {};
  const body = { name: powerGraphs[name].graph, options };
  return client.post('/nodes/:identifier/workflows', { params: { identifier }, body });
}

interface SwitchFormProps {
  node: ShownNode;
  name: PowerSwitch;
  close: () => void;
}

export function SwitchForm({ node, name, close }: SwitchFormProps) {
  const hasSoft = 'hasSoft' in powerGraphs[name];
  const isSoft = useSignal(hasSoft);
  const typed = useSignal('');
  const way = (title: string, isSoftWay: boolean) => (
    <label class="check">
      <input
        type="radio"
        name="way"
        checked={isSoft.value === isSoftWay}
        onChange={() => {
          isSoft.value = isSoftWay;
        }}
      />{' '}
      {title}
    </label>
  );
  return (
    <>
      {hasSoft ? (
        <fieldset>
          <legend>How</legend>
          {way('Soft: the operating system is asked to shut down', true)}
          {way('Hard: unwritten data of the operating system is lost', false)}
        </fieldset>
      ) : (
        <p>A reset is hard: unwritten data of the operating system is lost.</p>
      )}
      <ConfirmName name={node.name} typed={typed} />
      <div class="actions">
        <ActionButton
          kind="danger"
          reason={isTyped(typed, node.name) ? undefined : unconfirmedReason(node.name)}
          run={() => switchNode(node.id, name, isSoft.value).then(close)}
        >
          {switchTitles[name]}
        </ActionButton>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </>
  );
}
