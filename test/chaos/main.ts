/**
 * `npm run chaos -- --minutes 45 --kills 1000 --seed 1`: a campaign (`campaign.ts`) that ends at the number of kills or
 * at the time limit; with `--embedded`, of one daemon without services. Prints its seed before, its figures after; exit
 * code 1 on a violation.
 *
 * 1. All files are in temporary folders and all processes are ours; both are removed however it ends.
 * 2. It has a timeout, so it always ends.
 */
import { parseArgs } from 'node:util';
import { OwnScope } from '../support/ava/scope.ts';
import { campaign } from './campaign.ts';
import { summary } from './report.ts';

/** Time for the start, for the remaining work after the last kill, and for the end. */
const AROUND_MS = 8 * 60_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    embedded: { type: 'boolean', default: false },
  },
});
const [minutes, kills, seed] = [Number(values.minutes), Number(values.kills), Number(values.seed)];
if (![minutes, kills, seed].every((value) => value >= 0)) {
  console.error('chaos: --minutes, --kills and --seed must be numbers');
  process.exit(2);
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => (stop.signal.aborted ? process.exit(130) : stop.abort(new Error(signal))));
}
const limit = setTimeout(
  () => {
    console.error('chaos: timed out');
    process.exit(1);
  },
  minutes * 60_000 + AROUND_MS,
);

const plan = { minutes, kills, seed, isEmbedded: values.embedded, tell: (line: string) => console.log(line) };
console.log(`seed ${seed}: at most ${kills} kills in ${minutes} minutes`);
const scope = new OwnScope();
let code = 1;
try {
  const outcome = await campaign(scope, plan, stop.signal);
  for (const line of summary(plan, outcome)) console.log(line);
  code = outcome.scene.findings.total === 0 ? 0 : 1;
} catch (error) {
  console.error('chaos:', error);
} finally {
  await scope.close();
  clearTimeout(limit);
}
// Clients that still retry after an interruption would never get an answer.
process.exit(stop.signal.aborted ? 130 : code);
