/** Adds a relation of a node to another one; the other one gets the reverse. */
import { useSignal } from '@preact/signals';
import { client } from '../../data/daemon-client.ts';
import type { LaunchNode } from '../../data/planned.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Field } from '../../parts/field.tsx';
import { chosenNode, NodeChoice } from '../../parts/launch/node-choice.tsx';

const types = ['containedBy', 'contains', 'enclosedBy', 'encloses', 'poweredBy', 'powers', 'managedBy', 'manages'];

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
      <Field label="Relation">
        <select
          value={type.value}
          onChange={({ currentTarget }) => {
            type.value = currentTarget.value;
          }}
        >
          {types.map((one) => (
            <option key={one}>{one}</option>
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
