/**
 * Whether this tab is in use. A tab that is put into the back-forward cache is not, nor is one that has been hidden for a
 * while: until it is shown again it holds no connection and reads nothing.
 */
import { type ReadonlySignal, signal } from '@preact/signals';

/** ms that a hidden tab stays live, so that a short look at another one costs nothing. */
const HIDDEN_MS = 60_000;

/** Absent outside a secure context, such as plain HTTP to another machine: then only tabs that are shown have a connection. */
export const canShare = typeof navigator === 'object' && navigator.locks !== undefined;

const hidden = signal(false);
/** Whether another tab is in front of this one, or its window is minimized. */
export const isHidden: ReadonlySignal<boolean> = hidden;

const inUse = signal(true);
export const isInUse: ReadonlySignal<boolean> = inUse;

if (typeof document === 'object') {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const settle = (isWanted: boolean, afterMs = 0) => {
    clearTimeout(timer);
    if (afterMs > 0) timer = setTimeout(() => settle(isWanted), afterMs);
    else inUse.value = isWanted;
  };
  const byVisibility = () => {
    hidden.value = document.hidden;
    settle(!document.hidden, document.hidden && canShare ? HIDDEN_MS : 0);
  };
  document.addEventListener('visibilitychange', byVisibility);
  window.addEventListener('pageshow', byVisibility);
  window.addEventListener('pagehide', () => settle(false));
  document.addEventListener('freeze', () => settle(false));
  document.addEventListener('resume', byVisibility);
  byVisibility();
}
