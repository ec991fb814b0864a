/** A form: one request at a time, the error below it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Problem } from './problem.tsx';

interface FormProps {
  /** Text of the button. */
  action: string;
  /** @throws any error, which is shown */
  submit: (form: FormData, element: HTMLFormElement) => Promise<unknown>;
  cancel?: (() => void) | undefined;
  children: ComponentChildren;
}

export function Form({ action, submit, cancel, children }: FormProps) {
  const isRunning = useSignal(false);
  const problem = useSignal<unknown>(undefined);
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isRunning.value) return;
    const element = event.currentTarget as HTMLFormElement;
    [isRunning.value, problem.value] = [true, undefined];
    try {
      await submit(new FormData(element), element);
    } catch (error) {
      problem.value = error;
    }
    isRunning.value = false;
  };
  return (
    <form class="form" onSubmit={(event) => void onSubmit(event)}>
      {children}
      <Problem error={problem.value} />
      <div class="actions">
        <button type="submit" class="main" disabled={isRunning.value}>
          {action}
        </button>
        {cancel !== undefined && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}

/** Returns the text of a field; undefined if it is empty. */
export function fieldText(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
