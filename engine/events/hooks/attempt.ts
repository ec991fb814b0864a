/** One attempt at a delivery: it ends within its limit, whatever the receiver does, and its error has codes only. */
import { codeOf } from '../../vocabulary/thrown-values.ts';
import type { AttemptOutcome } from './deliveries.ts';

export interface AttemptLimits {
  limitMs: number;
  /** Aborts the attempt. */
  signal: AbortSignal;
}

/**
 * @param send returns how the receiver answered
 * @param codeIn of an error when there was no answer; by default its own code
 * @throws when the signal aborted it: whether the event was delivered is unknown
 */
export async function attemptWithin(
  { limitMs, signal }: AttemptLimits,
  send: (signal: AbortSignal) => Promise<AttemptOutcome>,
  codeIn: (error: unknown) => string = codeOf,
): Promise<AttemptOutcome> {
  signal.throwIfAborted();
  const ending = new AbortController();
  const stop = () => ending.abort(signal.reason);
  const timer = setTimeout(() => ending.abort(), limitMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await send(ending.signal);
  } catch (error) {
    signal.throwIfAborted();
    const said = ending.signal.aborted
      ? `no answer within ${limitMs / 1_000} s`
      : `no answer: ${codeIn(error) || 'the request failed'}`;
    return { status: null, error: said, away: true };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
