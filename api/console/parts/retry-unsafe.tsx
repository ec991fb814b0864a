/** The tasks of a retry that run once and may have taken effect: each is acknowledged by a check mark. */
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { RequestError } from '../data/request-error.ts';

/** The labels in a RETRY_UNSAFE error, each of whose violations names a task. */
export const unsafeLabelsOf = ({ violations }: Pick<RequestError, 'violations'>): string[] =>
  violations.flatMap(({ message }) => /^lacks (.+), a once task/.exec(message)?.[1] ?? []);

interface RetryUnsafeProps {
  labels: readonly string[];
  acknowledged: Signal<readonly string[]>;
  /** The nodes that a task may have changed; absent: there is one, which is known. */
  where?: (label: string) => ComponentChildren;
}

export function RetryUnsafe({ labels, acknowledged, where }: RetryUnsafeProps) {
  if (labels.length === 0) return null;
  const change = (label: string, isChecked: boolean) => {
    const others = acknowledged.value.filter((other) => other !== label);
    acknowledged.value = isChecked ? [...others, label] : others;
  };
  return (
    <fieldset>
      <legend>
        These tasks may have taken effect. Check {where === undefined ? 'the node' : 'their nodes'} first, then choose
        those that may run again:
      </legend>
      {labels.map((label) => (
        <p key={label}>
          <label>
            <input
              type="checkbox"
              checked={acknowledged.value.includes(label)}
              onChange={({ currentTarget }) => change(label, currentTarget.checked)}
            />{' '}
            {label} {where !== undefined && <span class="quiet">{where(label)}</span>}
          </label>
        </p>
      ))}
    </fieldset>
  );
}
