/** A button that opens the form of a launch. It is not offered to users who may not launch. */
import type { ComponentChildren } from 'preact';
import { mayOperate } from '../../data/current-user.ts';
import { DialogButton } from '../dialog-button.tsx';
import { LaunchForm, type LaunchFormProps } from './launch-form.tsx';

interface LaunchButtonProps extends LaunchFormProps {
  /** Title of the dialog. */
  title: string;
  kind?: 'main' | 'danger';
  disabled?: boolean;
  children: ComponentChildren;
}

export function LaunchButton({ title, kind, disabled = false, children, ...form }: LaunchButtonProps) {
  if (!mayOperate.value) return null;
  return (
    <DialogButton text={children} title={title} kind={kind} disabled={disabled}>
      {() => <LaunchForm {...form} />}
    </DialogButton>
  );
}
