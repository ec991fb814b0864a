/** The library of graphs: what can be launched, and what could not be loaded. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { may } from '../data/current-user.ts';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { GraphLink } from '../parts/links.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { NeedsRight } from '../parts/needs-right.tsx';
import { ShortText } from '../parts/short-text.tsx';
import { GraphEditor } from './graphs/graph-editor.tsx';
import { type GraphSummary, graphSummaryOf } from './graphs/graph-summary.ts';
import { LoadErrors } from './graphs/load-errors.tsx';

const MAX_GRAPHS = 1_000;

export function GraphsPage() {
  const { path, query, route } = useLocation();
  const isNew = useSignal(false);
  const wanted = query.q ?? '';
  const live = useLive('graphs', async () => {
    const { body, total = 0 } = await client.get('/workflows/graphs', { query: { $top: MAX_GRAPHS } });
    return { graphs: body.map(graphSummaryOf), total };
  });
  return (
    <>
      <Heading>Graphs</Heading>
      {may('library') ? <LoadErrors /> : null}
      <div class="filters">
        <Field label="Search">
          <input
            type="search"
            defaultValue={wanted}
            placeholder="a part of the name"
            onInput={({ currentTarget: { value } }) =>
              route(value === '' ? path : `${path}?${new URLSearchParams({ q: value })}`, true)
            }
          />
        </Field>
      </div>
      <NeedsRight group="library" method="PUT">
        <p class="actions">
          <button
            type="button"
            onClick={() => {
              isNew.value = true;
            }}
          >
            New graph
          </button>
        </p>
      </NeedsRight>
      <LiveContent live={live}>
        {({ graphs, total }) => (
          <>
            {total > graphs.length && (
              <p class="quiet">
                The first {graphs.length} of {total} graphs
              </p>
            )}
            <GraphTable graphs={graphs.filter((graph) => isNamed(graph, wanted))} />
          </>
        )}
      </LiveContent>
      {isNew.value && (
        <Dialog
          title="New graph"
          close={() => {
            isNew.value = false;
          }}
        >
          <GraphEditor done={(name) => route(`/ui/graphs/${encodeURIComponent(name)}`)} />
        </Dialog>
      )}
    </>
  );
}

const isNamed = ({ name, title }: GraphSummary, wanted: string): boolean =>
  `${name} ${title}`.toLowerCase().includes(wanted.trim().toLowerCase());

const GraphTable = ({ graphs }: { graphs: readonly GraphSummary[] }) => (
  <DataTable
    label="Graphs"
    rows={graphs}
    keyOf={({ name }) => name}
    empty="No graph matches the search."
    columns={[
      { title: 'name', cell: ({ name }) => <GraphLink name={name} /> },
      { title: 'title', cell: ({ title }) => <ShortText text={title} /> },
      {
        title: 'from',
        cell: ({ file }) => (file === null ? 'put through the API, or of a pack' : <code>{file}</code>),
      },
      { title: 'form', cell: ({ form }) => form },
      { title: 'tasks', cell: ({ tasks }) => tasks ?? '', isNumber: true },
    ]}
  />
);
