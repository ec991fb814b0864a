/**
 * The thread on which templates are rendered, one message after the other, in a sandbox. Plain JavaScript, so that it starts
 * without a translator. After an answer with `spent` it is of no use any more.
 */
import { parentPort } from 'node:worker_threads';
import { Sandbox } from './sandbox.mjs';

const FAULT = 10_000;

const sandbox = await Sandbox.open();

function answerTo({ text, variables, timeMs, length }) {
  try {
    return { output: sandbox.render(text, variables, timeMs, length), spent: sandbox.spent };
  } catch (error) {
    // A text is the template's own fault; anything else left the sandbox in an unknown state.
    if (typeof error === 'string') return { fault: error.slice(0, FAULT), spent: sandbox.spent };
    return { fault: 'it takes too much memory, or too deep a stack', spent: true };
  }
}

parentPort.on('message', (message) => parentPort.postMessage(answerTo(message)));
parentPort.postMessage({});
