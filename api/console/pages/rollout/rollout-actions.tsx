/** The commands of a rollout; what it does not take now is disabled, with the reason. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { commandReasons, type ShownRollout } from '../../data/command-reasons.ts';
import { client } from '../../data/daemon-client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { inShort } from '../../parts/in-short.ts';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';

interface RolloutActionsProps {
  rollout: ShownRollout;
  reload: () => void;
}

type Act = (body: {
  command: 'pause' | 'resume' | 'advance' | 'cancel' | 'retry-failed';
  cancelRunning?: boolean;
  acknowledge?: boolean;
}) => Promise<void>;

export function RolloutActions({ rollout, reload }: RolloutActionsProps) {
  const { route } = useLocation();
  const { id, name, counts } = rollout;
  const act: Act = async (body) => {
    await client.put('/rollouts/:id/action', { params: { id }, body });
    reload();
  };
  const reasons = commandReasons(rollout);
  const remove = () => client.remove('/rollouts/:id', { params: { id } }).then(() => route('/ui/rollouts'));
  return (
    <NeedsRight>
      <div class="actions">
        <ActionButton run={() => act({ command: 'pause' })} reason={reasons.pause}>
          Pause
        </ActionButton>
        <ActionButton run={() => act({ command: 'resume' })} reason={reasons.resume}>
          Resume
        </ActionButton>
        <ActionButton
          {...(reasons.advance === undefined && { kind: 'main' })}
          run={() => act({ command: 'advance' })}
          reason={reasons.advance}
        >
          Begin the next phase
        </ActionButton>
        <DialogButton
          text={`Retry failed (${counts.failed})…`}
          title="Retry the failed targets?"
          reason={reasons.retryFailed}
        >
          {(close) => (
            <CheckedAction
              text="Their tasks may run again, also those that must not run twice and may have taken effect"
              action="Retry"
              run={(acknowledge) => act({ command: 'retry-failed', acknowledge }).then(close)}
            />
          )}
        </DialogButton>
        <DialogButton text="Cancel…" title={`Cancel ${inShort(name)}?`} kind="danger" reason={reasons.cancel}>
          {(close) => (
            <>
              <p>Targets that have not begun are skipped.</p>
              <CheckedAction
                text={counts.running === 0 ? undefined : `Also cancel ${countText(counts.running, 'running workflow')}`}
                action="Cancel the rollout"
                run={(cancelRunning) => act({ command: 'cancel', cancelRunning }).then(close)}
              />
            </>
          )}
        </DialogButton>
        {reasons.cancel !== undefined && (
          <RemoveButton what={`rollout ${inShort(name)}`} run={remove}>
            <p>Its workflows stay.</p>
          </RemoveButton>
        )}
      </div>
    </NeedsRight>
  );
}

interface CheckedActionProps {
  /** Beside the check box; undefined: there is no choice. */
  text: string | undefined;
  action: string;
  run: (isChecked: boolean) => Promise<unknown>;
}

function CheckedAction({ text, action, run }: CheckedActionProps) {
  const isChecked = useSignal(false);
  return (
    <>
      {text !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            onChange={({ currentTarget }) => {
              isChecked.value = currentTarget.checked;
            }}
          />{' '}
          {text}
        </label>
      )}
      <div class="actions">
        <ActionButton kind="danger" run={() => run(isChecked.value)}>
          {action}
        </ActionButton>
      </div>
    </>
  );
}
