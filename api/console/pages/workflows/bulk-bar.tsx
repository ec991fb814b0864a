/** The selection of workflows, and the commands to all of them. */
import { bulkCommands } from '../../../../engine/vocabulary/states.ts';
import { DialogButton } from '../../parts/dialog-button.tsx';
import type { ChosenRows } from '../../parts/table/row-choice.tsx';
import { BulkConfirm } from './bulk-confirm.tsx';
import { commandTitles, disabledReason, takersOf } from './bulk-texts.ts';
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
        <button type="button" onClick={() => select([])}>
          Select none
        </button>
      )}
      <strong role="status">{workflows.length > 0 && `${number.format(workflows.length)} selected`}</strong>
      {bulkCommands.map((command) => {
        const choice = takersOf(command, workflows);
        const count = choice.takers.length;
        return (
          <DialogButton
            key={command}
            text={`${commandTitles[command]}${count === 0 ? '' : ` ${number.format(count)}`}…`}
            title={`${commandTitles[command]} workflows`}
            kind={command === 'cancel' ? 'danger' : undefined}
            reason={disabledReason(choice)}
          >
            {(close) => <BulkConfirm command={command} choice={choice} reload={reload} close={close} />}
          </DialogButton>
        );
      })}
    </>
  );
}
