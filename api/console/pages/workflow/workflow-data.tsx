/** The data of a workflow: options, context, outputs of tasks. The daemon has removed secrets. */
import { JsonTree } from '../../parts/json-tree.tsx';
import type { ShownWorkflow } from './shown-workflow.ts';

export function WorkflowData({ workflow: { options, context, value, tasks } }: { workflow: ShownWorkflow }) {
  const outputs = Object.fromEntries(
    tasks.filter(({ output }) => output !== null).map(({ label, output }) => [label, output]),
  );
  return (
    <>
      <h2>Options</h2>
      <JsonTree label="options" value={options} />
      <h2>Context</h2>
      <JsonTree label="context" value={context} />
      <h2>State</h2>
      <JsonTree label="state" value={value} />
      <h2>Outputs of tasks</h2>
      <JsonTree label="outputs" value={outputs} searches />
    </>
  );
}
