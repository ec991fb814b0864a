/** The one question before a command to many workflows: what it does, to which, and to which not; then what became of them. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { BulkCommand } from '../../../../engine/vocabulary/states.ts';
import { type BulkAction, resultText, useBulkAction } from '../../data/bulk-actions.ts';
import { destructiveGraphs } from '../../data/plan-data.ts';
import { AcknowledgedRetry } from '../acknowledged-retry.tsx';
import { ActionButton } from '../action-button.tsx';
import { ConfirmName, isTyped } from '../confirm-name.tsx';
import { countText } from '../count-texts.ts';
import { NodeLink, WorkflowLink } from '../links.tsx';
import { type BulkTarget, commandRejection, commandTitles, effects, type Takers } from './bulk-texts.ts';

interface BulkConfirmProps {
  command: BulkCommand;
  choice: Takers;
  reload: () => void;
  close: () => void;
}

export function BulkConfirm({ command, choice, reload, close }: BulkConfirmProps) {
  // Workflows that end while the reader reads do not change the question.
  const { takers, others } = useRef(choice).current;
  const followed = useBulkAction(reload);
  const typed = useSignal('');
  const destructive = useSignal<readonly string[] | undefined>(undefined);
  useEffect(() => {
    const graphs = command === 'retry' || command === 'cancel' ? takers.map((one) => one.injectableName) : [];
    void destructiveGraphs(graphs).then((names) => {
      destructive.value = names;
    });
  }, []);
  const action = followed.action.value;
  if (action !== undefined)
    return (
      <>
        <p role="status">{resultText(action)}</p>
        <Rejections action={action} workflows={takers} />
        <div class="actions">
          <AcknowledgedRetry followed={followed} />
          <button type="button" onClick={close}>
            Done
          </button>
        </div>
      </>
    );
  const count = String(takers.length);
  const isAsked = destructive.value === undefined || destructive.value.length > 0;
  return (
    <>
      <p>{effects[command]}</p>
      <Targets workflows={takers} />
      {[...others].map(([reason, left]) => (
        <p class="quiet" key={reason}>
          {countText(left, 'workflow')} left as {left === 1 ? 'it is' : 'they are'}: {reason}
        </p>
      ))}
      {destructive.value !== undefined && isAsked && (
        <>
          <p class="problem">
            {command === 'cancel' ? 'May be destroying data' : 'Destroys data'}: {destructive.value.join(', ')}
          </p>
          <ConfirmName name={count} typed={typed} hint="The number of the workflows" />
        </>
      )}
      <div class="actions">
        <ActionButton
          kind={command === 'cancel' ? 'danger' : 'main'}
          disabled={isAsked && !(destructive.value !== undefined && isTyped(typed, count))}
          run={() => followed.start({ command, ids: takers.map(({ id }) => id) })}
        >
          {commandTitles[command]} {countText(takers.length, 'workflow')}
        </ActionButton>
        <button type="button" onClick={close}>
          Back
        </button>
      </div>
    </>
  );
}

/** Nodes and rejections that are named. */
const NAMED = 12;

/** By graph, each with its nodes. */
function Targets({ workflows }: { workflows: readonly BulkTarget[] }) {
  const byGraph = Map.groupBy(workflows, ({ injectableName }) => injectableName);
  return (
    <ul>
      {[...byGraph].map(([graph, some]) => (
        <li key={graph}>
          {some.length} × {graph}:{' '}
          {some.slice(0, NAMED).map(({ id, node }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <NodeLink id={node} />
            </span>
          ))}
          {some.length > NAMED && ` and ${some.length - NAMED} more`}
        </li>
      ))}
    </ul>
  );
}

function Rejections({ action: { items }, workflows }: { action: BulkAction; workflows: readonly BulkTarget[] }) {
  const rejected = items.filter(({ status }) => status === 'rejected');
  if (rejected.length === 0) return null;
  return (
    <ul>
      {rejected.slice(0, NAMED).map(({ workflow, code, message }) => (
        <li key={workflow}>
          <NodeLink id={workflows.find(({ id }) => id === workflow)?.node ?? null} />, workflow{' '}
          <WorkflowLink id={workflow} />: {commandRejection(code, message)} <code>{code}</code>
        </li>
      ))}
      {rejected.length > NAMED && <li>and {rejected.length - NAMED} more</li>}
    </ul>
  );
}
