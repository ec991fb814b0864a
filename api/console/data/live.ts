/**
 * Live data: the log of events says when to look, the records say what there is. So an outage of the daemon or of the stream
 * costs no more than a late look.
 *
 * 1. One stream for the page. Users who may not read events look every three seconds instead.
 * 2. `useLive` reads a record, and reads it again after an event that concerns it, when the stream has been away, and
 *    now and then, since some changes have no event. One read at a time; many events cause one read.
 * 3. While the daemon is away, `connection` says so, and all that is shown is marked as old.
 */
import { computed, effect, type ReadonlySignal, signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { followEvents, type LogEvent } from '../../client/follow-events.ts';
import { may, session } from './current-user.ts';
import { client, isDaemonAway } from './daemon-client.ts';
import { Repeated } from './repeated.ts';
import type { RequestError } from './request-error.ts';

const streamState = signal<'connecting' | 'live' | 'polling' | 'away'>('connecting');

export const connection: ReadonlySignal<'connecting' | 'live' | 'polling' | 'away'> = computed(() =>
  isDaemonAway.value ? 'away' : streamState.value,
);

/** Called with each event; undefined: any record may have changed. */
type Listener = (event: LogEvent | undefined) => void;
const listeners = new Set<Listener>();

/** ms */
const POLL_MS = 3_000;

/** Calls the listener until it is removed by the returned function. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const tell = (event: LogEvent | undefined): void => {
  for (const listener of listeners) listener(event);
};

/** Follows the log while a user is logged in. */
effect(() => {
  if (session.value === undefined || session.value.isFirstUser) return;
  if (!may('general')) {
    streamState.value = 'polling';
    const timer = setInterval(() => tell(undefined), POLL_MS);
    return () => clearInterval(timer);
  }
  const ended = new AbortController();
  void follow(ended.signal);
  return () => ended.abort();
});

async function follow(ended: AbortSignal): Promise<void> {
  try {
    for await (const followed of followEvents(client, { signal: ended, isPatient: true })) {
      if (followed.kind === 'event') tell(followed.event);
      else if (followed.kind === 'away') streamState.value = 'away';
      else {
        streamState.value = 'live';
        isDaemonAway.value = false;
        // Events of the meantime may be missing.
        tell(undefined);
      }
    }
  } catch {
    if (!ended.aborted) streamState.value = 'away';
  }
}

export interface LiveValue<T> {
  /** undefined: not read yet. */
  value: ReadonlySignal<T | undefined>;
  /** The last read failed; `value` is older. */
  problem: ReadonlySignal<RequestError | undefined>;
  /** Reads again now. */
  reload(): void;
}

/**
 * Reads while the component is shown.
 * @param key what is read: another key reads anew @param concerns whether an event may have changed it; absent: none does
 */
export function useLive<T>(
  key: string,
  read: () => Promise<T>,
  concerns: (event: LogEvent) => boolean = () => false,
): LiveValue<T> {
  const value = useSignal<T | undefined>(undefined);
  const problem = useSignal<RequestError | undefined>(undefined);
  const repeated = useRef<Repeated>(undefined);
  useEffect(() => {
    let isShown = true;
    value.value = undefined;
    problem.value = undefined;
    const reading = new Repeated(async () => {
      try {
        const found = await read();
        if (isShown) [value.value, problem.value] = [found, undefined];
      } catch (error) {
        if (isShown) problem.value = error as RequestError;
      }
    });
    const ignore = onEvents((event) => {
      if (event === undefined || concerns(event)) reading.soon();
    });
    repeated.current = reading;
    reading.now();
    return () => {
      isShown = false;
      reading.stop();
      ignore();
    };
  }, [key]);
  return { value, problem, reload: () => repeated.current?.now() };
}
