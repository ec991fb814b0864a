/** A button that opens the form of a launch. */
import type { ComponentChildren } from 'preact';
import { DialogButton } from '../dialog-button.tsx';
import { NeedsRight } from '../needs-right.tsx';
import { LaunchForm, type LaunchFormProps } from './launch-form.tsx';

interface LaunchButtonProps extends LaunchFormProps {
  /** Title of the dialog. */
  title: string;
  kind?: 'main' | 'danger';
  /** Why it is disabled; absent: it is not. */
  reason?: string | undefined;
  children: ComponentChildren;
}

export function LaunchButton({ title, kind, reason, children, ...form }: LaunchButtonProps) {
  return (
    <NeedsRight>
      <DialogButton text={children} title={title} kind={kind} reason={reason}>
        {() => <LaunchForm {...form} />}
      </DialogButton>
    </NeedsRight>
  );
}
