/**
 * Asks a daemon for `/healthz`, one request after the other, in a process of its own: one that also sends large bodies would measure
 * its own delays. For each line that it gets, it prints the most ms of CPU time that the daemon's main thread took between a
 * request and its answer, since the line before.
 */
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { busyMs } from '../faults/busy.ts';

const { WATCHED_URL: url = '', WATCHED_PID: pid } = process.env;
/** ms between an answer and the next request. */
const REST_MS = 2;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longest = 0;

function ask(): void {
  const before = busyMs(Number(pid));
  const asked = request(url, { agent }, (answer) => {
    answer.resume();
    answer.once('end', () => {
      longest = Math.max(longest, busyMs(Number(pid)) - before);
      setTimeout(ask, REST_MS);
    });
  });
  asked.on('error', () => setTimeout(ask, REST_MS)).end();
}

ask();
for await (const _ of createInterface({ input: process.stdin })) {
  process.stdout.write(`${longest}\n`);
  longest = 0;
}
process.exit();
