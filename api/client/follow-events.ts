/**
 * Follows the log of events of a daemon, or the console of a machine. A daemon that goes away does not end it: it connects again, with growing pauses,
 * and continues after the last event that it has.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { messageOf } from '../../engine/vocabulary/thrown-values.ts';
import { MIB } from '../../engine/vocabulary/units.ts';
import type { GetAnswer, RequestParts, Requests } from './requests.ts';

export type LogEvent = GetAnswer<'/events'>[number];

export type FollowItem<Event = LogEvent> =
  | { kind: 'connected' }
  | { kind: 'event'; event: Event }
  | { kind: 'away'; reason: string }
  /** Events before this position were removed before they could be read. */
  | { kind: 'gap'; oldest: number };

type StreamPath = '/events/stream' | '/nodes/:identifier/console/stream';

const FIRST_MS = 250;
const LONGEST_MS = 10_000;
/** Characters; longer than any event. */
const EVENT_LIMIT = 32 * MIB;

export interface FollowOptions {
  params?: RequestParts['params'];
  query?: RequestParts['query'];
  /** Absent: from now on. */
  after?: number | undefined;
  signal: AbortSignal;
  /** The daemon has answered before: an outage does not end it before its first connection either. */
  isPatient?: true;
}

export const followEvents = (client: Requests, following: FollowOptions): AsyncGenerator<FollowItem> =>
  followStream<LogEvent>(client, '/events/stream', following);

export type FollowedLine = GetAnswer<'/nodes/:identifier/console/log'>[number];

export const followConsole = (client: Requests, following: FollowOptions): AsyncGenerator<FollowItem<FollowedLine>> =>
  followStream<FollowedLine>(client, '/nodes/:identifier/console/stream', following);

/** Ends with the signal. @throws an error that a repetition cannot help, and any error of the first connection */
async function* followStream<Event>(
  client: Requests,
  path: StreamPath,
  following: FollowOptions,
): AsyncGenerator<FollowItem<Event>> {
  const { query = {}, params = {}, signal } = following;
  let last = following.after;
  let hasConnected = following.isPatient === true;
  let pauseMs = FIRST_MS;
  while (!signal.aborted) {
    try {
      const body = await client.stream(path, { params, query }, idHeader(last), signal);
      yield { kind: 'connected' };
      hasConnected = true;
      for await (const { id, data } of messagesOf(body)) {
        if (id !== undefined) last = Number(id);
        pauseMs = FIRST_MS;
        if (data !== '') yield { kind: 'event', event: JSON.parse(data) as Event };
      }
      if (!signal.aborted) yield { kind: 'away', reason: 'the daemon ended the connection' };
    } catch (error) {
      if (signal.aborted) return;
      const oldest = hasConnected ? client.oldestOf(error) : undefined;
      if (oldest !== undefined) {
        last = oldest - 1;
        yield { kind: 'gap', oldest };
        continue;
      }
      if (!hasConnected || !client.isPassing(error)) throw error;
      yield { kind: 'away', reason: messageOf(error) };
    }
    await waitFor(pauseMs, signal);
    pauseMs = Math.min(2 * pauseMs, LONGEST_MS);
  }
}

const idHeader = (last: number | undefined): Record<string, string> =>
  last === undefined ? {} : { 'last-event-id': String(last) };

/** Not all at the same time, after a daemon with many readers has started again. */
const waitFor = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms * (0.5 + Math.random()));
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });

async function* messagesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventSourceMessage> {
  let received: EventSourceMessage[] = [];
  const onEvent = (message: EventSourceMessage) => void received.push(message);
  const parser = createParser({ onEvent, maxBufferSize: EVENT_LIMIT });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* received;
    received = [];
  }
}
