/** An open call or wait, with the ends that it can have. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { PlayMove } from '../../../../engine/api-port/index.ts';
import { Field } from '../../parts/field.tsx';
import type { PlayedRun } from './use-played.ts';

interface OpenCallProps {
  open: PlayedRun['open'][number];
  isSelected: boolean;
  /** No other label waits for a notification. */
  isOnlyWait: boolean;
  add: (move: PlayMove) => void;
}

const words: Record<string, string> = {
  activity: 'a call runs',
  command: 'a command for the agent',
  graph: 'a workflow of another graph',
  notification: 'waits for a notification',
  release: 'waits to be released',
};

const codes = ['TASK_FAILED', 'TASK_TIMEOUT', 'COMMAND_FAILED', 'OBM_UNREACHABLE', 'OBM_BUSY', 'OBM_REJECTED'];

/** undefined: it is no JSON. */
function jsonIn(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

export function OpenCall({ open: { label, kind, attempt, output }, isSelected, isOnlyWait, add }: OpenCallProps) {
  const usual = JSON.stringify(output, null, 2) ?? 'null';
  const text = useSignal(kind === 'notification' ? '{}' : usual);
  const code = useSignal('TASK_FAILED');
  const id = useId();
  const isNotification = kind === 'notification';
  const given = jsonIn(text.value);
  const isFit = given !== undefined && (!isNotification || isObject(given.value));
  const succeed = () => {
    if (given === undefined) return;
    if (isNotification)
      add({ do: 'notify', ...(!isOnlyWait && { label }), data: given.value as Record<string, unknown> });
    else add({ do: 'end', label, ...(text.value !== usual && { output: given.value }) });
  };
  const fail = () => add({ do: 'fail', label, ...(code.value !== 'TASK_FAILED' && { code: code.value }) });
  return (
    <section class={isSelected ? 'open-call selected' : 'open-call'} aria-label={label}>
      <h3>
        {label} <span class="quiet">{words[kind] ?? kind}</span>
        {attempt > 1 && <span class="quiet">, attempt {attempt}</span>}
      </h3>
      <div class="actions">
        <button
          type="button"
          class="main"
          disabled={!isFit}
          aria-label={`${label}: ${isNotification ? 'notify' : 'succeed'}`}
          onClick={succeed}
        >
          {isNotification ? 'Notify' : 'Succeed'}
        </button>
        <button
          type="button"
          disabled={!/^[A-Z][A-Z0-9_]*$/.test(code.value)}
          aria-label={`${label}: fail with ${code.value}`}
          onClick={fail}
        >
          Fail
        </button>
        <input
          list={id}
          class="code"
          aria-label={`Code of the failure of ${label}`}
          value={code.value}
          maxLength={128}
          spellcheck={false}
          onInput={({ currentTarget }) => {
            code.value = currentTarget.value.trim();
          }}
        />
        <datalist id={id}>
          {codes.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </div>
      <details>
        <summary>{isNotification ? 'Parameters' : 'Output'}</summary>
        <Field
          label={isNotification ? `Parameters of the notification of ${label}` : `Output of ${label}`}
          hint={isFit ? undefined : isNotification ? 'expected an object as JSON' : 'expected JSON'}
        >
          <textarea
            rows={5}
            spellcheck={false}
            aria-invalid={!isFit}
            value={text.value}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value;
            }}
          />
        </Field>
      </details>
    </section>
  );
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
