/**
 * `npm run chaos -- --minutes 45 --kills 1000 --seed 1`: a campaign (`campaign.ts`) of so many kills or so long, whichever
 * is used up first. Its seed is printed before, its figures after it; exit code 1 when anything was wrong.
 *
 * 1. Everything lies in temporary folders and every process is ours; all are gone when it ends, however it does.
 * 2. It ends by itself, whatever hangs.
 */
import { parseArgs } from 'node:util';
import { OwnScope } from '../support/scope.ts';
import { campaign } from './campaign.ts';
import { summary } from './report.ts';

/** For the start of everything, what is left after the last kill, and the end. */
const AROUND_MS = 8 * 60_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [minutes, kills, seed] = [Number(values.minutes), Number(values.kills), Number(values.seed)];
if (![minutes, kills, seed].every((value) => value >= 0)) {
  console.error('chaos: --minutes, --kills and --seed are numbers');
  process.exit(2);
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => (stop.signal.aborted ? process.exit(130) : stop.abort(new Error(signal))));
}
const limit = setTimeout(
  () => {
    console.error('chaos: it hangs');
    process.exit(1);
  },
  minutes * 60_000 + AROUND_MS,
);

const plan = { minutes, kills, seed, tell: (line: string) => console.log(line) };
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
// What asks again after an interruption has nobody to ask any more.
process.exit(stop.signal.aborted ? 130 : code);
