/**
 * Makes one attempt at a delivery: a POST and its outcome.
 *
 * 1. Redirects are not followed: only the registered receiver gets the event. Only the status of the answer is kept.
 * 2. Errors contain codes only, neither the url, which may contain a token, nor the secret.
 */
import { createHmac } from 'node:crypto';
import type { Dispatcher } from 'undici';
import type { Egress } from '../../platform/lib/egress.ts';
import { undici } from '../../platform/lib/undici.ts';
import { shownText } from '../../vocabulary/conceal.ts';
import { invalidInput } from '../../vocabulary/errors.ts';
import type { EventPayload } from '../../vocabulary/event.ts';
import { codeOf, rootCodeOf } from '../../vocabulary/thrown-values.ts';
import { type AttemptLimits, attemptWithin } from './attempt.ts';
import type { AttemptOutcome } from './deliveries.ts';
import { type PostedFormat, receiverBody } from './receiver-formats.ts';

/** Bytes of an answer that are read to keep its connection usable. */
const READ_LIMIT = 16 * 1024;
/** Statuses of receivers that are reachable but cannot accept anything now. */
const awayStatuses: readonly number[] = [429, 502, 503, 504];

export interface Sending extends AttemptLimits {
  url: string;
  event: EventPayload;
  traceparent: string | undefined;
  secret: string | undefined;
  /** Null: the event itself, with headers that prove the sender. */
  format: PostedFormat | null;
  egress: Pick<Egress, 'check'>;
  dispatcher: Dispatcher;
}

/** @throws when the signal aborted it: whether the event was delivered is unknown */
export async function postEvent(sending: Sending): Promise<AttemptOutcome> {
  const { url, event, traceparent, secret, format, egress, dispatcher } = sending;
  const { errors, request } = await undici();
  const message = format === null ? event : receiverBody(event, format, secret);
  const body = shownText(JSON.stringify(message));
  const post = async (signal: AbortSignal) => {
    egress.check(url);
    const traced = traceparent === undefined ? {} : { traceparent };
    const proof = format === null ? headersOf(event, body, secret) : {};
    const headers = { 'content-type': 'application/json', ...proof, ...traced };
    const answer = await request(url, { method: 'POST', headers, body, dispatcher, signal });
    await answer.body.dump({ limit: READ_LIMIT, signal }).catch(() => {}); // only the status matters
    return outcomeOf(answer.statusCode);
  };
  // The code of the network is in the causes of an error of undici.
  const codeIn = (error: unknown) => (error instanceof errors.UndiciError ? rootCodeOf(error) : codeOf(error));
  return attemptWithin(sending, post, codeIn);
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

/** @throws NodewrightError INVALID: receivers could not decode the key, and would reject every post */
export function checkSigningSecret(secret: string): void {
  const key = standardKey(secret);
  if (typeof key === 'string' || (key.length > 0 && key.toString('base64') === secret.slice(STANDARD_PREFIX.length)))
    return;
  throw invalidInput(
    'secret',
    `begins with ${STANDARD_PREFIX}, but the rest is not base64 with its padding; correct it`,
  );
}
