/** The filters of the list of workflows. Each change is an address of its own, so that it can be linked to. */
import { useLocation } from 'preact-iso';
import { workflowStatuses } from '../../../../engine/define/states.ts';
import { Field } from '../../parts/field.tsx';
import { addressOfChoice, type ListChoice } from './list-choice.ts';

export function FilterForm({ choice }: { choice: ListChoice }) {
  const { route } = useLocation();
  const change = (name: keyof ListChoice) => (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    route(addressOfChoice({ ...choice, [name]: value.trim() }), true);
  };
  return (
    <form class="workflow-filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <Field label="Status">
        <select value={choice.status ?? ''} onChange={change('status')}>
          <option value="">any</option>
          {workflowStatuses.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </Field>
      <Field label="Graph">
        <input type="search" placeholder="Graph.Drive" value={choice.graph ?? ''} onChange={change('graph')} />
      </Field>
      <Field label="Node">
        <input type="search" placeholder="beginning of a name" value={choice.node ?? ''} onChange={change('node')} />
      </Field>
    </form>
  );
}
