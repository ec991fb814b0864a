/** Requests of commands to the API of another system: their errors, their repetition, and the signals that end them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, rootCodeOf } from '../../engine/vocabulary/thrown-values.ts';
import { MINUTE_MS } from '../../engine/vocabulary/units.ts';
import { isTlsCode } from './api-error.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { onSignals } from './on-signals.ts';
import { printableText } from './terminal.ts';

export abstract class RemoteError<Code extends string = string> extends CommandError {
  readonly code: Code;
  /** How soon the system wants the next attempt, in ms; absent: it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(code: Code, sentence: string, retryAfterMs?: number) {
    super(printableText(`${sentence} (${code})`));
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed soon. */
  abstract get isPassing(): boolean;
}

const REMOTE_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
/** A system that wants a longer pause is away. */
const LONGEST_PAUSE_MS = MINUTE_MS;

/** Sends a request again, with growing pauses, after errors that pass. @param isHarmless whether a repetition is, after this error */
export async function sendRepeatedly<T>(
  signal: AbortSignal,
  send: () => Promise<T>,
  isHarmless: (error: RemoteError) => boolean = () => true,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const pauseMs = error instanceof RemoteError && isHarmless(error) ? pauseAfter(error, attempt) : undefined;
      if (pauseMs === undefined) throw error;
      await sleep(pauseMs, undefined, { signal });
    }
  }
}

/** @returns undefined if no further attempt is made */
function pauseAfter({ isPassing, retryAfterMs }: RemoteError, attempt: number): number | undefined {
  if (!isPassing || attempt === REMOTE_ATTEMPTS) return undefined;
  const pauseMs = retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
  return pauseMs > LONGEST_PAUSE_MS ? undefined : pauseMs;
}

interface RemoteSystem {
  /** Such as `NetBox`. */
  system: string;
  host: string;
  /** Where its URL and its authority are given. */
  urlFrom: string;
  authorityFrom: string;
}

/** Why there is no answer. @returns `isOutage` false: the address or the authority is wrong, and time does not mend it */
export function missingAnswer(error: unknown, { system, host, urlFrom, authorityFrom }: RemoteSystem) {
  const code = rootCodeOf(error);
  if (code === 'EPROTO')
    return { isOutage: false, sentence: `${host} does not speak TLS; correct the URL (${urlFrom})` };
  if (isTlsCode(code))
    return {
      isOutage: false,
      sentence: `The certificate of ${host} is not trusted (${code}); name the file of its authority by ${authorityFrom}`,
    };
  return { isOutage: true, sentence: `No answer from ${system} at ${host}: ${code || messageOf(error)}` };
}

/** Runs work that SIGINT and SIGTERM end. */
export async function untilInterrupted(work: (stop: AbortController) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const end = () => stop.abort(new CommandError('interrupted; the same command continues', EXIT.interrupted));
  const off = onSignals(end);
  try {
    await work(stop);
  } finally {
    off();
  }
}
