/** A page for users who may read hooks and events; others are shown which privilege they need. */
import type { ComponentChildren } from 'preact';
import { may } from '../../data/current-user.ts';

export function EventReaders({ children }: { children: ComponentChildren }) {
  if (may('monitoring')) return <>{children}</>;
  return (
    <p class="quiet">Your role may not read hooks and events: it needs the privilege Read or ConfigureComponents.</p>
  );
}
