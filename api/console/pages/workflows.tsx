/** The page Workflows: a list of any length, filtered by the address. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import { session } from '../data/current-user.ts';
import { useLive } from '../data/live.ts';
import { withColumns } from '../data/table-views.ts';
import { Heading } from '../parts/heading.tsx';
import { LaunchButton } from '../parts/launch/launch-button.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { type ChosenRows, choiceColumn } from '../parts/table/row-choice.tsx';
import { SavedViews } from '../parts/table/saved-views.tsx';
import { shownColumns } from '../parts/table/table-columns.ts';
import { TableMenu } from '../parts/table/table-menu.tsx';
import { useChosenColumns } from '../parts/table/use-chosen-columns.ts';
import { WindowedList } from '../parts/windowed-list.tsx';
import { BulkBar } from './workflows/bulk-bar.tsx';
import { FilterForm } from './workflows/filter-form.tsx';
import { type FoldedRow, foldedRows } from './workflows/folded-rows.ts';
import { addressOfChoice, choiceOf, type ListChoice, sortOfChoice, workflowViews } from './workflows/list-choice.ts';
import { FIRST_ROWS, type ListedWorkflow, ROWS_PER_REQUEST, readList } from './workflows/read-list.ts';
import { workflowCardHeight, workflowColumns } from './workflows/workflow-columns.tsx';
import '../styles/workflows.css';
import { NeedsRight } from '../parts/needs-right.tsx';

/** Rows that are read again at each change. */
const MOST_ROWS = 10_000;
/** ms between two reads: a busy daemon has many changes. */
const APART_MS = 1_000;

export function WorkflowsPage() {
  const choice = choiceOf(useLocation().query);
  const address = addressOfChoice(choice);
  // Another order or filter keeps it.
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const hasName = session.value?.username !== null;
  const views = Object.entries(workflowViews).filter(([view]) => view !== 'mine' || hasName);
  return (
    <>
      <header class="titled">
        <Heading>Workflows</Heading>
        <LaunchButton kind="main" title="Launch a graph">
          Launch…
        </LaunchButton>
      </header>
      <SavedViews
        page="/workflows"
        address={address}
        usual={[
          { title: 'All', address: addressOfChoice({}) },
          ...views.map(([view, title]) => ({ title, address: addressOfChoice({ view }) })),
        ]}
      />
      <FilterForm choice={choice} />
      <WorkflowList key={`list ${address}`} choice={choice} selected={selected} />
    </>
  );
}

const number = new Intl.NumberFormat();

interface WorkflowListProps {
  choice: ListChoice;
  selected: ChosenRows;
}

function WorkflowList({ choice, selected }: WorkflowListProps) {
  const { route } = useLocation();
  const wanted = useSignal(FIRST_ROWS);
  const unfolded = useSignal<ReadonlySet<string>>(new Set());
  const { chosen, choose } = useChosenColumns('/workflows', addressOfChoice(choice));
  const fold = (id: string) => {
    const next = new Set(unfolded.value);
    if (!next.delete(id)) next.add(id);
    unfolded.value = next;
  };
  const lastRead = useSignal(0);
  const read = async () => {
    const rest = lastRead.value + APART_MS - Date.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    const listedWorkflows = await readList(choice, wanted.value);
    lastRead.value = Date.now();
    return listedWorkflows;
  };
  const { sort: _, ...filters } = choiceOf({ ...choice });
  const live = useLive(`workflows ${addressOfChoice(choice)}`, read, ({ type }) => type === 'graph');
  const order = {
    sort: sortOfChoice(choice),
    sortBy: (sort: string) => route(withColumns(addressOfChoice({ ...choice, sort }), chosen), true),
  };
  const columns = workflowColumns(unfolded.value, fold);
  return (
    <LiveContent live={live}>
      {({ rows, total, looked, isCut }) => {
        const shownRows = foldedRows(rows, unfolded.value);
        return (
          <>
            <div class="actions table-bar">
              <span class="quiet" role="status">
                {looked < total && `the first ${number.format(looked)} of `}
                {countText(total, 'workflow')}
                {isCut && '; more nodes have such a name than are looked at: give more of the name'}
              </span>
              <NeedsRight>
                <BulkBar rows={rows} selected={selected} reload={live.reload} />
              </NeedsRight>
              <TableMenu columns={columns} chosen={chosen} choose={choose} {...order} />
            </div>
            <WindowedList
              label="Workflows"
              rows={shownRows}
              columns={shownColumns([choiceColumn<ShownRow>(selected, shownRows, nameOfRow), ...columns], chosen)}
              order={order}
              cardHeight={workflowCardHeight}
              keyOf={({ id }) => id}
              empty={
                Object.keys(filters).length > 0
                  ? 'No workflow matches the filters.'
                  : 'No workflow has run yet. Launch a graph from the page of a node, or of the graph.'
              }
            />
            {looked < total && wanted.value < MOST_ROWS && (
              <button
                type="button"
                onClick={() => {
                  wanted.value = nextRows(wanted.value);
                  lastRead.value = 0;
                  live.reload();
                }}
              >
                Load {number.format(Math.min(nextRows(wanted.value), total) - looked)} more
              </button>
            )}
            {looked < total && wanted.value === MOST_ROWS && <p>Use a filter to see others.</p>}
          </>
        );
      }}
    </LiveContent>
  );
}

/** In whole requests. */
const nextRows = (rows: number): number => (Math.floor(rows / ROWS_PER_REQUEST) + 1) * ROWS_PER_REQUEST;

type ShownRow = FoldedRow<ListedWorkflow>;

const nameOfRow = ({ id, injectableName }: ShownRow): string => `${injectableName} ${id.slice(0, 8)}`;
