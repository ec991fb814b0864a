/**
 * Renders templates, one message after the other. Whoever may write a template writes JavaScript with it: it runs in a
 * realm of its own with nothing in it but its variables, which come as JSON. That is no wall against somebody who
 * looks for a way through it, and keeps everybody else from the daemon's files, network and memory.
 */

import { createContext, runInContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import ejs from 'ejs';

// The ways from an object of this realm to a function that makes code here.
for (const made of [() => {}, async () => {}, function* () {}, async function* () {}]) {
  Object.defineProperty(Object.getPrototypeOf(made), 'constructor', { value: undefined });
}
// What a template leaves behind is nobody's fault that comes after it.
process.on('unhandledRejection', () => {});
delete globalThis.process;

const REALM = { codeGeneration: { strings: false, wasm: false }, microtaskMode: 'afterEvaluate' };
const ESCAPES = '{ "&": "&amp;", "<": "&lt;", ">": "&gt;", \'"\': "&#34;", "\'": "&#39;" }';

/** The text of a call that gives the output. EJS makes the body; what is around it is its own too, but for this realm. */
function callOf(text, variables) {
  const template = new ejs.Template(text, { compileDebug: true });
  template.compile();
  return `(function (locals) {
    const escapes = ${ESCAPES};
    const escapeFn = (value) => value === undefined || value === null ? '' : String(value).replace(/[&<>"']/g, (one) => escapes[one]);
    const include = () => { throw new Error('include is not to be had here'); };
    let __line = 1;
    try {
      return String((() => { ${template.source} })());
    } catch (error) {
      throw 'line ' + __line + ': ' + String((error && error.message) || error);
    }
  })(Object.assign(Object.create(null), JSON.parse(${JSON.stringify(variables)})))`;
}

function render({ text, variables, timeMs, length }) {
  const output = runInContext(callOf(text, variables), createContext(Object.create(null), REALM), { timeout: timeMs });
  if (output.length > length) throw new Error(`it makes more than ${length} characters`);
  return output;
}

parentPort.on('message', (message) => {
  try {
    parentPort.postMessage({ output: render(message) });
  } catch (error) {
    parentPort.postMessage({ fault: String(error?.message ?? error).slice(0, 10_000) });
  }
});
parentPort.postMessage({});
