/** The selection of workflows, and the commands to all of them. */
import { bulkCommands } from '../../../../engine/vocabulary/states.ts';
import { BulkCommands } from '../../parts/bulk/bulk-commands.tsx';
import type { ChosenRows } from '../../parts/table/row-choice.tsx';
import type { ListedWorkflow } from './read-list.ts';

interface BulkBarProps {
  /** Those that are listed. */
  rows: readonly ListedWorkflow[];
  selected: ChosenRows;
  reload: () => void;
}

const number = new Intl.NumberFormat();

export function BulkBar({ rows, selected, reload }: BulkBarProps) {
  // Those that are no longer listed are not acted on: their reader does not see them.
  const workflows = rows.filter(({ id }) => selected.value.has(id));
  const select = (ids: readonly string[]) => {
    selected.value = new Set(ids);
  };
  return (
    <>
      {workflows.length < rows.length && (
        <button type="button" onClick={() => select(rows.map(({ id }) => id))}>
          Select all {number.format(rows.length)}
        </button>
      )}
      {workflows.length > 0 && (
        <>
          <button type="button" onClick={() => select([])}>
            Select none
          </button>
          <strong role="status">{number.format(workflows.length)} selected</strong>
          <BulkCommands commands={bulkCommands} workflows={workflows} listed={rows} reload={reload} />
        </>
      )}
    </>
  );
}
