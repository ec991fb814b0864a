/** The page Workflows: a list of any length, filtered by the address. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useLive } from '../data/live.ts';
import { countText } from '../parts/count-texts.ts';
import { Heading } from '../parts/heading.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { WindowedList } from '../parts/windowed-list.tsx';
import { FilterForm } from './workflows/filter-form.tsx';
import { foldedRows } from './workflows/folded-rows.ts';
import { addressOfChoice, choiceOf, type ListChoice } from './workflows/list-choice.ts';
import { readList, WORKFLOWS_PER_PAGE } from './workflows/read-list.ts';
import { SavedFilters } from './workflows/saved-filters.tsx';
import { workflowColumns } from './workflows/workflow-columns.tsx';
import '../styles/workflows.css';

/** Pages that are read again at each change. */
const MOST_PAGES = 10;
/** ms between two reads: a busy daemon has many changes. */
const APART_MS = 1_000;

export function WorkflowsPage() {
  const choice = choiceOf(useLocation().query);
  return (
    <>
      <Heading>Workflows</Heading>
      <SavedFilters choice={choice} />
      <FilterForm choice={choice} />
      <WorkflowList key={`list ${addressOfChoice(choice)}`} choice={choice} />
    </>
  );
}

const number = new Intl.NumberFormat();

function WorkflowList({ choice }: { choice: ListChoice }) {
  const pages = useSignal(1);
  const unfolded = useSignal<ReadonlySet<string>>(new Set());
  const fold = (id: string) => {
    const next = new Set(unfolded.value);
    if (!next.delete(id)) next.add(id);
    unfolded.value = next;
  };
  const lastRead = useSignal(0);
  const read = async () => {
    const rest = lastRead.value + APART_MS - Date.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    const listedWorkflows = await readList(choice, pages.value);
    lastRead.value = Date.now();
    return listedWorkflows;
  };
  const isFiltered = Object.keys(choiceOf({ ...choice })).length > 0;
  const live = useLive(`workflows ${addressOfChoice(choice)}`, read, ({ type }) => type === 'graph');
  return (
    <LiveContent live={live}>
      {({ rows, total, looked, isCut }) => (
        <>
          <p class="quiet" role="status">
            {looked < total && `the newest ${number.format(looked)} of `}
            {countText(total, 'workflow')}
            {isCut && '; more nodes have such a name than are looked at: give more of the name'}
          </p>
          <WindowedList
            label="Workflows"
            rows={foldedRows(rows, unfolded.value)}
            columns={workflowColumns(unfolded.value, fold)}
            keyOf={({ id }) => id}
            empty={
              isFiltered
                ? 'No workflow matches the filters.'
                : 'No workflow has run yet. Launch a graph from the page of a node, or of the graph.'
            }
          />
          {looked < total && pages.value < MOST_PAGES && (
            <button
              type="button"
              onClick={() => {
                pages.value++;
                lastRead.value = 0;
                live.reload();
              }}
            >
              Load {number.format(Math.min(WORKFLOWS_PER_PAGE, total - looked))} more
            </button>
          )}
          {looked < total && pages.value === MOST_PAGES && <p>Use a filter to see others.</p>}
        </>
      )}
    </LiveContent>
  );
}
