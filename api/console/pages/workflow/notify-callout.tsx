/** While tasks wait for the node: how the node notifies, and a button that notifies instead of the node. */
import { useSignal } from '@preact/signals';
import { client } from '../../data/daemon-client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Field } from '../../parts/field.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { Until } from '../../parts/time.tsx';
import { type ShownTask, type WorkflowPartProps, waitsForNode } from './shown-workflow.ts';

/** Maximum waits that are shown. */
const TASKS_SHOWN = 5;

export function NotifyCallout({ workflow, reload }: WorkflowPartProps) {
  const waiting = workflow.tasks.filter(waitsForNode);
  return (
    <>
      {waiting.slice(0, TASKS_SHOWN).map((task) => (
        <NotifyTask key={`${workflow.id} ${task.label}`} id={workflow.id} task={task} reload={reload} />
      ))}
      {waiting.length > TASKS_SHOWN && <p>{waiting.length - TASKS_SHOWN} more tasks wait for a notification.</p>}
    </>
  );
}

interface NotifyTaskProps {
  id: string;
  task: ShownTask;
  reload: () => void;
}

function NotifyTask({ id, task: { label, callback, dueAt }, reload }: NotifyTaskProps) {
  const data = useSignal('{}');
  const send = async () => {
    const body = objectIn(data.value);
    await client.post('/workflows/:id/notification', { params: { id }, query: { label }, body });
    reload();
  };
  return (
    <section class="callout" aria-label={`${label} waits for a notification`}>
      <p>
        <strong>{label}</strong> waits for a notification of the node
        {dueAt !== null && (
          <>
            , and times out <Until at={dueAt} />
          </>
        )}
        .
      </p>
      {callback !== null && callback !== 'REDACTED' && (
        <>
          <p>The node, or you on its network, completes it by:</p>
          <pre>{curlLine(callback)}</pre>
          <div class="actions">
            <ActionButton run={() => navigator.clipboard.writeText(curlLine(callback))}>Copy</ActionButton>
          </div>
        </>
      )}
      <NeedsRight>
        <details>
          <summary>Send it instead of the node</summary>
          <Field
            label={`Data for ${label}, a JSON object`}
            hint="The workflow continues as if the node had reported this."
          >
            <textarea
              rows={3}
              value={data.value}
              onInput={({ currentTarget }) => {
                data.value = currentTarget.value;
              }}
            />
          </Field>
          <div class="actions">
            <ActionButton kind="main" run={send}>
              Send the notification
            </ActionButton>
          </div>
        </details>
      </NeedsRight>
    </section>
  );
}

const curlLine = (callback: string): string =>
  `curl -X POST '${callback.replaceAll("'", `'\\''`)}' -H 'content-type: application/json' -d '{}'`;

/** @throws SyntaxError */
function objectIn(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new SyntaxError(`found ${text.slice(0, 40)}, expected a JSON object`);
}
