/** A button that opens the form of a launch. It is not offered to users who may not launch. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { mayOperate } from '../../data/current-user.ts';
import { Dialog } from '../dialog.tsx';
import { LaunchForm, type LaunchFormProps } from './launch-form.tsx';

interface LaunchButtonProps extends LaunchFormProps {
  /** Of the dialog. */
  title: string;
  kind?: 'main' | 'danger';
  disabled?: boolean;
  children: ComponentChildren;
}

export function LaunchButton({ title, kind, disabled = false, children, ...form }: LaunchButtonProps) {
  const isOpen = useSignal(false);
  if (!mayOperate.value) return null;
  return (
    <>
      <button
        type="button"
        class={kind}
        disabled={disabled}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {children}
      </button>
      {isOpen.value && (
        <Dialog
          title={title}
          close={() => {
            isOpen.value = false;
          }}
        >
          <LaunchForm {...form} />
        </Dialog>
      )}
    </>
  );
}
