/** The data of a workflow: the inputs and outputs of its tasks, and the values of its graph. The daemon has removed secrets. */
import { stateWords } from '../../../../engine/vocabulary/state-words.ts';
import { JsonTree } from '../../parts/json-tree.tsx';
import { partedEntries } from '../../parts/parted-entries.ts';
import { ValueRows } from '../../parts/value-rows.tsx';
import type { ShownWorkflow } from './shown-workflow.ts';

export function WorkflowData({ workflow: { options, context, value, tasks } }: { workflow: ShownWorkflow }) {
  const outputs = tasks.filter(({ output }) => hasContent(output));
  const inputs = Object.entries(options).filter(([, input]) => hasContent(input));
  return (
    <>
      <h2>Options of the launch</h2>
      {inputs.length === 0 && <p class="quiet">It was launched without options.</p>}
      {inputs.map(([label, input]) => (
        <ValueRows key={label} title={label === 'defaults' ? 'all tasks' : label} value={input} />
      ))}
      <h2>Outputs of tasks</h2>
      {outputs.length === 0 && <p class="quiet">No task has an output.</p>}
      {outputs.map(({ label, output }) => (
        <ValueRows key={label} title={label} value={output} />
      ))}
      <h2>Values of the graph</h2>
      {value !== null && <p>Its state: {stateWords(value)}</p>}
      <ValueRows value={context} />
      <details>
        <summary>Search in all of it</summary>
        <JsonTree
          label="all data"
          value={{ options, outputs: Object.fromEntries(outputs.map(({ label, output }) => [label, output])), context }}
          searches
        />
      </details>
    </>
  );
}

function hasContent(value: unknown): boolean {
  const { simple, nested } = partedEntries(value);
  return simple.length + nested.length > 0;
}
