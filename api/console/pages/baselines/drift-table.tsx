/** The nodes of a baseline's SKU, and how each differs from it. */
import { useSignal } from '@preact/signals';
import { differenceName } from '../../../../engine/vocabulary/baseline-texts.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Field } from '../../parts/field.tsx';
import { NodeLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago } from '../../parts/time.tsx';
import type { Drift } from './shown-baseline.ts';

const DRIFT_SHOWN = 500;

const choices = [
  ['', 'all nodes'],
  ['differs', 'nodes that differ'],
  ['unknown', 'nodes that lack a catalog'],
  ['matches', 'nodes that match'],
] as const;

export function DriftTable({ id }: { id: string }) {
  const state = useSignal<(typeof choices)[number][0]>('');
  return (
    <>
      <Field label="Show">
        <select
          onChange={({ currentTarget }) => {
            state.value = currentTarget.value as typeof state.value;
          }}
        >
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </Field>
      <DriftRows key={state.value} id={id} state={state.value} />
    </>
  );
}

function DriftRows({ id, state }: { id: string; state: (typeof choices)[number][0] }) {
  const query = { $top: DRIFT_SHOWN, ...(state !== '' && { state }) };
  const live = useLive(
    `drift of ${id} ${state}`,
    () => client.get('/baselines/:id/drift', { params: { id }, query }),
    ({ type, action }) => type === 'node' && action.startsWith('sku'),
  );
  return (
    <LiveContent live={live}>
      {({ body, total = body.length }) => (
        <>
          <DataTable
            label="Nodes"
            rows={body}
            keyOf={({ node }) => node}
            empty={state === '' ? 'No node has the SKU.' : 'No node is in this state.'}
            columns={[
              { title: 'node', cell: ({ node }) => <NodeLink id={node} /> },
              { title: 'state', cell: (drift) => <StatePill of={drift.state} /> },
              { title: 'found, and what it must be', cell: (drift) => <Differences of={drift} /> },
              { title: 'read', cell: ({ readAt }) => (readAt === null ? 'never' : <Ago at={readAt} />) },
            ]}
          />
          {total > body.length && (
            <p class="quiet">
              The first {body.length} of {total} nodes are shown
            </p>
          )}
        </>
      )}
    </LiveContent>
  );
}

const Differences = ({ of: { differences, lacks } }: { of: Drift }) => (
  <ul class="rule-texts">
    {lacks.map((source) => (
      <li key={source}>not known without the catalog {source}</li>
    ))}
    {differences.map((one) => (
      <li key={differenceName(one)}>
        {differenceName(one)}: {one.found === null ? 'not shown' : String(one.found)} → {String(one.expected)}
      </li>
    ))}
  </ul>
);
