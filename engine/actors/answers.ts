/**
 * What notifications with a nonce were answered first, so that a repeat gets the same answer and changes nothing. They are
 * part of the node actor's row: one compare-and-set write takes a notification and remembers its nonce, so of several
 * daemons that get it at the same moment one takes it, and a crash loses both or neither.
 *
 * 1. The newest nonces of a workflow are known, up to a limit; older ones are forgotten.
 * 2. Beyond a limit of size the oldest answers are dropped, not their nonces: such a repeat still changes nothing.
 */
export interface FirstAnswer {
  nonce: string;
  /** Of the notification that was taken. */
  id: string;
  /** Absent: dropped. */
  body?: Record<string, unknown>;
}

export const ANSWERS_LIMIT = 1_000;
/** In characters of JSON, over all bodies. */
export const ANSWERS_SIZE_LIMIT = 256 * 1_024;

export const answerTo = (answers: readonly FirstAnswer[], nonce: string | undefined): FirstAnswer | undefined =>
  nonce === undefined ? undefined : answers.find((answer) => answer.nonce === nonce);

export function remember(answers: readonly FirstAnswer[], answer: FirstAnswer): FirstAnswer[] {
  let left = ANSWERS_SIZE_LIMIT;
  const newestFirst = [answer, ...[...answers].reverse()].slice(0, ANSWERS_LIMIT).map(({ body, ...known }) => {
    if (body === undefined) return known;
    left -= JSON.stringify(body).length;
    return left < 0 ? known : { ...known, body };
  });
  return newestFirst.reverse();
}
