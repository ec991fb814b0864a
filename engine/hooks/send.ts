/**
 * One attempt at a delivery: a POST, and what came of it.
 *
 * 1. It takes no longer than its time in all, whatever the receiver does.
 * 2. Redirects are not followed: who receives is who was named. What the receiver says beside its status is not kept.
 * 3. What is told of a failure are codes alone: neither the url, which may hold a token, nor the secret is in it.
 */
import { createHmac } from 'node:crypto';
import { type Dispatcher, errors, request } from 'undici';
import { shownText } from '../define/conceal.ts';
import type { EventPayload } from '../define/event.ts';
import type { Outcome } from './deliveries.ts';

/** Bytes of an answer that are read for the sake of its connection. */
const READ_LIMIT = 16 * 1024;
/** Answers of those that are there but cannot take anything now. */
const awayStatuses: readonly number[] = [429, 502, 503, 504];

export interface Sending {
  url: string;
  event: EventPayload;
  secret: string | undefined;
  dispatcher: Dispatcher;
  limitMs: number;
  /** The attempt is broken off. */
  signal: AbortSignal;
}

/** @throws when the signal broke it off: whether it was delivered is not known */
export async function send({ url, event, secret, dispatcher, limitMs, signal }: Sending): Promise<Outcome> {
  signal.throwIfAborted();
  const body = shownText(JSON.stringify(event));
  const ending = new AbortController();
  const stop = () => ending.abort(signal.reason);
  const timer = setTimeout(() => ending.abort(), limitMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const headers = { 'content-type': 'application/json', ...headersOf(event, body, secret) };
    const answer = await request(url, { method: 'POST', headers, body, dispatcher, signal: ending.signal });
    await answer.body.dump({ limit: READ_LIMIT, signal: ending.signal }).catch(() => {}); // the status is what counts
    return outcomeOf(answer.statusCode);
  } catch (error) {
    signal.throwIfAborted();
    const said = ending.signal.aborted ? `no answer within ${limitMs / 1_000} s` : `no answer: ${codeOf(error)}`;
    return { status: null, error: said, away: true };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { status, error: null, away: false };
  return { status, error: `the receiver answered ${status}`, away: awayStatuses.includes(status) };
}

/** The receiver knows by them whom it comes from, when, and what it has had already. */
export function headersOf({ id }: EventPayload, body: string, secret: string | undefined): Record<string, string> {
  const event = { 'x-nodewright-event': id };
  if (secret === undefined) return event;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { ...event, 'x-nodewright-timestamp': timestamp, 'x-nodewright-signature': `sha256=${signature}` };
}

function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  if (typeof cause?.code === 'string' && error instanceof errors.UndiciError) return cause.code;
  return typeof code === 'string' ? code : 'it failed';
}
