/** The actions on a node: launch a graph, discover it again, delete it. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { mayOperate } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import type { ShownNode } from '../../data/node-records.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { inShort } from '../../parts/in-short.ts';
import { LaunchButton } from '../../parts/launch/launch-button.tsx';

export function NodeActions({ node }: { node: ShownNode }) {
  if (!mayOperate.value) return null;
  const nodes = [node];
  return (
    <div class="actions">
      <LaunchButton kind="main" title={`Launch on ${inShort(node.name)}`} nodes={nodes}>
        Launch…
      </LaunchButton>
      <LaunchButton
        title={`Discover ${inShort(node.name)} again`}
        graph="Graph.SKU.Discovery"
        nodes={nodes}
        warning="The node is booted from the network, and its catalogs are read."
      >
        Discover…
      </LaunchButton>
      <RemoveNode node={node} />
    </div>
  );
}

function RemoveNode({ node: { id, name } }: { node: ShownNode }) {
  const { route } = useLocation();
  const isOpen = useSignal(false);
  const typed = useSignal('');
  const remove = async () => {
    await client.remove('/nodes/:identifier', { params: { identifier: id } });
    route('/ui/nodes');
  };
  return (
    <>
      <button
        type="button"
        class="danger"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Delete…
      </button>
      {isOpen.value && (
        <Dialog
          title={`Delete ${inShort(name)}`}
          close={() => {
            isOpen.value = false;
          }}
        >
          <p>The node is deleted, with its catalogs and obms.</p>
          <Field label={`Type ${name} to confirm`}>
            <input
              autoComplete="off"
              spellcheck={false}
              onInput={({ currentTarget }) => {
                typed.value = currentTarget.value.trim();
              }}
            />
          </Field>
          <ActionButton kind="danger" run={remove} disabled={typed.value !== name.trim()}>
            Delete
          </ActionButton>
        </Dialog>
      )}
    </>
  );
}
