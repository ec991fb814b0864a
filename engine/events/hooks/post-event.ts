/**
 * Makes one attempt at a delivery: a POST and its outcome.
 *
 * 1. The attempt ends within its total time limit, whatever the receiver does.
 * 2. Redirects are not followed: only the registered receiver gets the event. Only the status of the answer is kept.
 * 3. Errors contain codes only, neither the url, which may contain a token, nor the secret.
 */
import { createHmac } from 'node:crypto';
import type { Dispatcher } from 'undici';
import type { ReceiverFormat } from '../../api-port/hooks.ts';
import type { Egress } from '../../platform/lib/egress.ts';
import { undici } from '../../platform/lib/undici.ts';
import { shownText } from '../../vocabulary/conceal.ts';
import type { EventPayload } from '../../vocabulary/event.ts';
import { codeOf, rootCodeOf } from '../../vocabulary/thrown-values.ts';
import type { AttemptOutcome } from './deliveries.ts';
import { receiverBody } from './receiver-formats.ts';

/** Bytes of an answer that are read to keep its connection usable. */
const READ_LIMIT = 16 * 1024;
/** Statuses of receivers that are reachable but cannot accept anything now. */
const awayStatuses: readonly number[] = [429, 502, 503, 504];

export interface Sending {
  url: string;
  event: EventPayload;
  traceparent: string | undefined;
  secret: string | undefined;
  /** Null: the event itself, with headers that prove the sender. */
  format: ReceiverFormat | null;
  egress: Pick<Egress, 'check'>;
  dispatcher: Dispatcher;
  limitMs: number;
  /** Aborts the attempt. */
  signal: AbortSignal;
}

/** @throws when the signal aborted it: whether the event was delivered is unknown */
export async function postEvent(sending: Sending): Promise<AttemptOutcome> {
  const { url, event, traceparent, secret, format, egress, dispatcher, limitMs, signal } = sending;
  const { errors, request } = await undici();
  signal.throwIfAborted();
  const message = format === null ? event : receiverBody(event, format, secret);
  const body = shownText(JSON.stringify(message));
  const ending = new AbortController();
  const stop = () => ending.abort(signal.reason);
  const timer = setTimeout(() => ending.abort(), limitMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    egress.check(url);
    const traced = traceparent === undefined ? {} : { traceparent };
    const proof = format === null ? headersOf(event, body, secret) : {};
    const headers = { 'content-type': 'application/json', ...proof, ...traced };
    const answer = await request(url, { method: 'POST', headers, body, dispatcher, signal: ending.signal });
    await answer.body.dump({ limit: READ_LIMIT, signal: ending.signal }).catch(() => {}); // only the status matters
    return outcomeOf(answer.statusCode);
  } catch (error) {
    signal.throwIfAborted();
    const said = ending.signal.aborted
      ? `no answer within ${limitMs / 1_000} s`
      : `no answer: ${reasonOf(error, error instanceof errors.UndiciError)}`;
    return { status: null, error: said, away: true };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return { status, error: null, away: false };
  return { status, error: `the receiver answered ${status}`, away: awayStatuses.includes(status) };
}

/**
 * Returns headers by which the receiver verifies the sender and the time, and recognizes repetitions: our own, and those
 * of Standard Webhooks, for which receivers have libraries.
 */
export function headersOf({ id }: EventPayload, body: string, secret: string | undefined): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const event = { 'x-nodewright-event': id, 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secret === undefined) return event;
  const own = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const standard = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    ...event,
    'x-nodewright-timestamp': timestamp,
    'x-nodewright-signature': `sha256=${own}`,
    'webhook-signature': `v1,${standard}`,
  };
}

const STANDARD_PREFIX = 'whsec_';

/** A secret with the prefix of Standard Webhooks has the key in base64. */
const standardKey = (secret: string): string | Buffer =>
  secret.startsWith(STANDARD_PREFIX) ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64') : secret;

/** @param isOfUndici the code of the network is in its causes */
const reasonOf = (error: unknown, isOfUndici: boolean): string =>
  (isOfUndici ? rootCodeOf(error) : codeOf(error)) || 'the request failed';
