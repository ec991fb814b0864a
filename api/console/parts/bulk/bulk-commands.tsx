/** Buttons for a command to many workflows: each has the number of those that take it, or the reason why none does. */
import type { BulkCommand } from '../../../../engine/vocabulary/states.ts';
import { DialogButton } from '../dialog-button.tsx';
import { BulkConfirm } from './bulk-confirm.tsx';
import { type BulkTarget, commandTitles, disabledReason, takersOf } from './bulk-texts.ts';

interface BulkCommandsProps {
  commands: readonly BulkCommand[];
  workflows: readonly BulkTarget[];
  /** All that are listed; by default these. */
  listed?: readonly BulkTarget[];
  reload: () => void;
}

const number = new Intl.NumberFormat();

export function BulkCommands({ commands, workflows, listed, reload }: BulkCommandsProps) {
  return commands.map((command) => {
    const choice = takersOf(command, workflows, listed);
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
  });
}
