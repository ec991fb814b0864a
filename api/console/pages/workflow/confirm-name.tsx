/** Asks the reader to type a name before something that cannot be undone. */
import type { Signal } from '@preact/signals';
import { nameOfNode } from '../../data/nodes.ts';
import { Field } from '../../parts/field.tsx';
import type { ShownWorkflow } from './shown-workflow.ts';

/** The name of the node; without a node that of the graph. */
export const nameToType = ({ node, injectableName }: ShownWorkflow): string =>
  node === null ? injectableName : nameOfNode(node);

export function ConfirmName({ name, typed }: { name: string; typed: Signal<string> }) {
  return (
    <Field label={`Type ${name} to go on`}>
      <input
        value={typed.value}
        autocomplete="off"
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
        }}
      />
    </Field>
  );
}
