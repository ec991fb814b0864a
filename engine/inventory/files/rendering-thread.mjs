/**
 * The thread that renders templates in a sandbox, one message at a time. It is plain JavaScript, so that it starts
 * without a translator. After an answer with `spent` it must be replaced.
 */
import { parentPort } from 'node:worker_threads';
import { Sandbox } from './sandbox.mjs';

const PROBLEM_LENGTH = 10_000;

const sandbox = await Sandbox.open();

function answerTo({ text, variables, timeMs, length }) {
  try {
    return { output: sandbox.render(text, variables, timeMs, length), spent: sandbox.spent };
  } catch (error) {
    // A string is an error of the template; any other error leaves the sandbox in an unknown state.
    if (typeof error === 'string') return { problem: error.slice(0, PROBLEM_LENGTH), spent: sandbox.spent };
    return { problem: 'it takes too much memory, or its stack is too deep', spent: true };
  }
}

parentPort.on('message', (message) => parentPort.postMessage(answerTo(message)));
parentPort.postMessage({});
