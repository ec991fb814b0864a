/**
 * The thread on which expressions are evaluated: plain JavaScript, so that it starts in milliseconds and needs nobody to
 * translate it. What comes: pairs of pattern and text, and a shared byte for each, in which its verdict is left. So
 * whoever has to end the thread knows how far it came.
 */
import { parentPort } from 'node:worker_threads';

const NO = 1;
const YES = 2;

/** One that is no expression, or for which the memory does not suffice, matches nothing. */
function verdict([pattern, text]) {
  try {
    return new RegExp(pattern).test(text) ? YES : NO;
  } catch {
    return NO;
  }
}

parentPort.on('message', ({ pairs, verdicts }) => {
  const shared = new Uint8Array(verdicts);
  for (const [index, pair] of pairs.entries()) Atomics.store(shared, index, verdict(pair));
  parentPort.postMessage('done');
});
parentPort.postMessage('ready');
