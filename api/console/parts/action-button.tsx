/** A button that requests something: disabled until the answer, with the error beside it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Problem } from './problem.tsx';

interface ActionButtonProps {
  /** The request. */
  run: () => Promise<unknown>;
  children: ComponentChildren;
  kind?: 'main' | 'danger';
  disabled?: boolean;
  /** Why it is disabled; absent: it is not. */
  reason?: string | undefined;
  /** A letter that presses it, if no other button of the page has it. */
  hotkey?: string | undefined;
}

export function ActionButton({ run, children, kind, disabled = false, reason, hotkey }: ActionButtonProps) {
  const isRunning = useSignal(false);
  const problem = useSignal<unknown>(undefined);
  const act = async () => {
    [isRunning.value, problem.value] = [true, undefined];
    await run().catch((error: unknown) => {
      problem.value = error;
    });
    isRunning.value = false;
  };
  return (
    <>
      <button
        type="button"
        class={kind}
        title={reason}
        data-key={hotkey}
        disabled={disabled || reason !== undefined || isRunning.value}
        onClick={() => void act()}
      >
        {children}
      </button>
      <Problem error={problem.value} />
    </>
  );
}
