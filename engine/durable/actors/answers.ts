/**
 * The first answers to notifications with a nonce, so that a repeat gets the same answer and changes nothing. They are
 * part of the node actor's row: one compare-and-set write accepts a notification and records its nonce. If several
 * daemons receive it at the same moment, only one accepts it, and a crash loses both or neither.
 *
 * 1. The newest nonces of a workflow are recorded, up to a limit; older ones are dropped.
 * 2. Above a size limit the oldest answers are dropped, but not their nonces: such a repeat still changes nothing.
 */
export interface FirstAnswer {
  nonce: string;
  /** Id of the accepted notification. */
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
