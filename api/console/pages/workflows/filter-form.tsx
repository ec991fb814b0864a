/** The filters of the list of workflows. Each change is an address of its own, so that it can be linked to. */
import { useLocation } from 'preact-iso';
import { workflowStatuses } from '../../../../engine/vocabulary/states.ts';
import { DAY_MS } from '../../../../engine/vocabulary/units.ts';
import { fieldOfTime, timeOfField } from '../../data/shown-times.ts';
import { withColumns } from '../../data/table-views.ts';
import { Field } from '../../parts/field.tsx';
import { MoreFields } from '../../parts/more-fields.tsx';
import { addressOfChoice, choiceOf, type ListChoice, spans } from './list-choice.ts';

const BETWEEN = 'between';

export function FilterForm({ choice }: { choice: ListChoice }) {
  const { query, route } = useLocation();
  const choose = (changed: ListChoice) =>
    route(withColumns(addressOfChoice({ ...choice, ...changed }), query.columns), true);
  const change = (name: keyof ListChoice) => (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    choose({ [name]: value.trim() });
  };
  const { view: _view, sort: _sort, ...filters } = choiceOf({ ...choice });
  return (
    <form class="workflow-filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <MoreFields used={Object.keys(filters).length}>
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
        {choice.batch !== undefined && (
          <Field label="Batch">
            <input type="search" value={choice.batch} onChange={change('batch')} />
          </Field>
        )}
        <TimeRange choice={choice} choose={choose} />
      </MoreFields>
    </form>
  );
}

interface TimeRangeProps {
  choice: ListChoice;
  choose: (changed: ListChoice) => void;
}

function TimeRange({ choice: { since = '', from, to }, choose }: TimeRangeProps) {
  const isBetween = since === '' && (from ?? to) !== undefined;
  const chooseSpan = (span: string) => {
    const begin = new Date(Date.now() - DAY_MS).toISOString();
    choose(span === BETWEEN ? { since: '', from: begin, to: '' } : { since: span, from: '', to: '' });
  };
  const limit = (label: string, name: 'from' | 'to', at: string | undefined) => (
    <Field label={label}>
      <input
        type="datetime-local"
        value={at === undefined ? '' : fieldOfTime(at)}
        onChange={({ currentTarget }) => choose({ [name]: timeOfField(currentTarget.value) ?? '' })}
      />
    </Field>
  );
  return (
    <>
      <Field label="Launched">
        <select value={isBetween ? BETWEEN : since} onChange={({ currentTarget }) => chooseSpan(currentTarget.value)}>
          <option value="">at any time</option>
          {Object.entries(spans).map(([span, { title }]) => (
            <option key={span} value={span}>
              {title}
            </option>
          ))}
          <option value={BETWEEN}>between</option>
        </select>
      </Field>
      {isBetween && limit('From', 'from', from)}
      {isBetween && limit('Before', 'to', to)}
    </>
  );
}
