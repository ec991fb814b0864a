/**
 * One stream of events for all tabs of a browser, which gives a daemon no more than six connections.
 *
 * 1. The tab that holds a lock of the browser follows the log, and sends what it reads to the others through a channel. The browser gives the
 *    lock to the next tab when this one is closed, crashes or lets it go, so no tab has to find out who leads.
 * 2. A tab that joins asks for the state. A tab that takes over continues after the last event that reached it.
 * 3. No token is in the channel: each tab has its own.
 */
import type { FollowItem, LogEvent } from '../../client/follow-events.ts';
import { canShare } from './tab-in-use.ts';

export type StreamItem = { kind: 'event'; event: LogEvent } | { kind: 'live' } | { kind: 'away' } | { kind: 'gap' };

interface Stream {
  /** Tabs of one name share it: one user of one daemon. */
  name: string;
  /** @param after undefined: from now on */
  follow(after: number | undefined, signal: AbortSignal): AsyncIterable<FollowItem>;
  hear(heard: StreamItem): void;
}

/** Takes part until the returned function is called. */
export function joinStream(stream: Stream): () => void {
  const ended = new AbortController();
  if (canShare) shareStream(stream, ended.signal);
  else void lead(stream, undefined, ended.signal, stream.hear);
  return () => ended.abort();
}

const JOINED = 'joined';

function shareStream(stream: Stream, signal: AbortSignal): void {
  const channel = new BroadcastChannel(stream.name);
  let last: number | undefined;
  /** The stream that this tab leads. */
  let state: StreamItem | undefined;
  const hear = (heard: StreamItem) => {
    if (heard.kind === 'event') last = heard.event.seq;
    stream.hear(heard);
  };
  const say = (heard: StreamItem) => {
    if (signal.aborted) return;
    if (heard.kind !== 'event') state = heard;
    channel.postMessage(heard);
    hear(heard);
  };
  channel.onmessage = ({ data }: MessageEvent<StreamItem | typeof JOINED>) => {
    if (data !== JOINED) hear(data);
    else if (state !== undefined) channel.postMessage(state);
  };
  signal.addEventListener('abort', () => channel.close());
  channel.postMessage(JOINED);
  // The lock is free as soon as this tab leaves, even if the stream ends later: a tab in the back-forward cache holds none.
  const untilReleased = () => Promise.race([lead(stream, last, signal, say), untilAborted(signal)]);
  navigator.locks.request(stream.name, { signal }, untilReleased).catch(() => {});
}

async function lead(
  { follow }: Stream,
  after: number | undefined,
  signal: AbortSignal,
  say: (heard: StreamItem) => void,
): Promise<void> {
  try {
    for await (const followed of follow(after, signal)) say(heardOf(followed));
  } catch {
    if (!signal.aborted) say({ kind: 'away' });
  }
}

function heardOf(followed: FollowItem): StreamItem {
  if (followed.kind === 'event') return { kind: 'event', event: followed.event };
  return { kind: followed.kind === 'connected' ? 'live' : followed.kind };
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
