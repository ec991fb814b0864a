/** Adds a relation of a node to another one; the other one gets the reverse. */
import { useSignal } from '@preact/signals';
import { client } from '../../data/daemon-client.ts';
import type { LaunchNode } from '../../data/launch-node.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Field } from '../../parts/field.tsx';
import { chosenNode, NodeChoice } from '../../parts/launch/node-choice.tsx';
import { relationTitle, relationTypes } from './relation-titles.ts';

export function RelationForm({ id }: { id: string }) {
  const type = useSignal('containedBy');
  const target = useSignal<LaunchNode | undefined>(undefined);
  const add = () =>
    client.put('/nodes/:identifier/relations', {
      params: { identifier: id },
      body: { [type.value]: [target.value?.id ?? ''] },
    });
  return (
    <details>
      <summary>Add a relation</summary>
      <Field label="The node">
        <select
          value={type.value}
          onChange={({ currentTarget }) => {
            type.value = currentTarget.value;
          }}
        >
          {relationTypes.map((one) => (
            <option key={one} value={one}>
              {relationTitle(one)}
            </option>
          ))}
        </select>
      </Field>
      <NodeChoice
        choose={(node) => {
          target.value = chosenNode(node);
        }}
      />
      <ActionButton run={add} disabled={target.value === undefined}>
        Add
      </ActionButton>
    </details>
  );
}
