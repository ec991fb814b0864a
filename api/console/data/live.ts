/**
 * Live data: the log of events says when to look, the records say what there is. So an outage of the daemon or of the stream
 * costs no more than a late look.
 *
 * 1. One stream for all tabs of the browser, while this one is in use. Users who may not read events may
 *    read nothing that changes fast.
 * 2. `useLive` reads a record, and reads it again after an event that concerns it, when the stream has been away, and
 *    now and then, since some changes have no event. One read at a time; many events cause one read.
 * 3. While the daemon is away, `connection` says so, and all that is shown is marked as old.
 */
import { computed, effect, type ReadonlySignal, signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { followEvents, type LogEvent } from '../../client/follow-events.ts';
import { may, session } from './current-user.ts';
import { client, isDaemonAway } from './daemon-client.ts';
import { RepeatedCall } from './repeated-call.ts';
import type { RequestError } from './request-error.ts';
import { joinStream, type StreamItem } from './shared-stream.ts';
import { isHidden, isInUse } from './tab-in-use.ts';

const streamState = signal<'connecting' | 'live' | 'polling' | 'away'>('connecting');

export const connection: ReadonlySignal<'connecting' | 'live' | 'polling' | 'away'> = computed(() =>
  isDaemonAway.value ? 'away' : streamState.value,
);

/** Called with each event; undefined: any record may have changed. */
type Listener = (event: LogEvent | undefined) => void;
const listeners = new Set<Listener>();

/** Calls the listener until it is removed by the returned function. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const tell = (event: LogEvent | undefined): void => {
  for (const listener of listeners) listener(event);
};

/** Takes part in the stream while a user is logged in and the tab is in use. */
effect(() => {
  if (session.value === undefined || session.value.isFirstUser || !isInUse.value) return;
  streamState.value = may('monitoring') ? 'connecting' : 'polling';
  if (!may('monitoring')) return;
  return joinStream({ name: `nodewright events ${session.value.username}`, follow, hear });
});

const follow = (after: number | undefined, signal: AbortSignal) =>
  followEvents(client, { after, signal, isPatient: true });

function hear(heard: StreamItem): void {
  if (heard.kind === 'event') {
    tell(heard.event);
    return;
  }
  // Events of the meantime may be missing.
  const mayMiss = heard.kind === 'gap' || (heard.kind === 'live' && streamState.value !== 'live');
  if (heard.kind !== 'gap') streamState.value = heard.kind;
  if (heard.kind === 'live') isDaemonAway.value = false;
  if (mayMiss) tell(undefined);
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
 * @param idleMs ms after which it is read again without an event; absent: some seconds
 */
export function useLive<T>(
  key: string,
  read: () => Promise<T>,
  concerns: (event: LogEvent) => boolean = () => false,
  idleMs?: number,
): LiveValue<T> {
  const value = useSignal<T | undefined>(undefined);
  const problem = useSignal<RequestError | undefined>(undefined);
  const repeated = useRef<RepeatedCall>(undefined);
  useEffect(() => {
    let isShown = true;
    value.value = undefined;
    problem.value = undefined;
    let isOld = false;
    const reading = new RepeatedCall(async () => {
      // It is read again as soon as the tab is shown. A tab that was opened in the background reads once.
      isOld = isHidden.peek() && value.peek() !== undefined;
      if (isOld) return;
      try {
        const answer = await read();
        if (isShown) [value.value, problem.value] = [answer, undefined];
      } catch (error) {
        if (isShown) problem.value = error as RequestError;
      }
    }, idleMs);
    const ignore = onEvents((event) => {
      if (event === undefined || concerns(event)) reading.soon();
    });
    const endLook = isHidden.subscribe((isAway) => {
      if (!isAway && isOld) reading.now();
    });
    repeated.current = reading;
    reading.now();
    return () => {
      isShown = false;
      reading.stop();
      ignore();
      endLook();
    };
  }, [key]);
  return { value, problem, reload: () => repeated.current?.now() };
}
