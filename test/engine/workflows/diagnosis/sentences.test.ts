/** Each wait that any graph can come to is explained in a sentence, and each prediction is what the engine then does. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { quarantine, quarantineError } from '../../../../engine/durable/step/quarantined.ts';
import type { Operation, WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { type OpenWait, waitsOf } from '../../../../engine/durable/step/waits.ts';
import type { Watch } from '../../../../engine/durable/watchdog/watchdog.ts';
import { launchSamples } from '../../../../engine/kit/launch-samples.ts';
import { Run } from '../../../../engine/kit/run.ts';
import type { Graph } from '../../../../engine/library/types.ts';
import { isActive } from '../../../../engine/vocabulary/states.ts';
import { detailOf } from '../../../../engine/workflows/diagnosis/details.ts';
import { atTime, change } from '../../../../engine/workflows/diagnosis/foresight.ts';
import { suggestionsFor } from '../../../../engine/workflows/diagnosis/suggestions.ts';
import { everyGraph } from '../../../support/data/catalogue.ts';

const RUNS = 25;
const MOVES = 25;
const unwatched: Watch = (_, code) => code();
const bmc = { host: '10.1.1.1', address: '10.1.1.1:623', retryAt: '2026-01-01T00:01:00.000Z', failures: 3 };
const agent = { lastSeenAt: '2026-01-01T00:00:00.000Z', address: '10.1.1.2' };

const kinds = ['done', 'done', 'done', 'done', 'fail', 'rest', 'timer', 'pause', 'resume', 'retry-now'] as const;
type Kind = (typeof kinds)[number];
const moves = fc.sample(
  fc.array(fc.record({ kind: fc.constantFrom(...kinds), which: fc.nat(100) }), { maxLength: MOVES }),
  { numRuns: RUNS, seed: 7 },
);

function play(run: Run, kind: Kind, which: number): void {
  const operation = run.openOperations[which % Math.max(1, run.openOperations.length)];
  if (kind === 'pause' || kind === 'resume' || kind === 'retry-now') run.send({ type: kind });
  else if (kind === 'timer' || operation === undefined) run.fireTimer();
  else if (kind === 'done') run.done(operation, { which });
  else if (kind === 'fail') run.fail(operation);
  else {
    const backoffUntil = new Date(run.now + 30_000).toISOString();
    const error = { name: 'ObmError', code: 'OBM_CIRCUIT_OPEN', message: 'it does not answer', backoffUntil };
    run.send({ type: 'work.failed', operation: operation.id, error });
  }
}

const isSentence = (text: string): boolean =>
  text.length > 10 && !/undefined|null|NaN|\[object|\s{2}|^[A-Z]|\.$/.test(text);

/** Explains the waits of a row. @returns what is wrong with a sentence, and what the waits are for */
function explained(row: WorkflowRow): { wrong: string[]; seen: string[] } {
  const all = waitsOf(row).map((wait) => {
    const waitingOn = row.error !== null ? 'held' : (wait.entry?.waitingOn ?? null);
    const texts = [
      detailOf(wait, waitingOn, { row, bmc, agent }),
      detailOf(wait, waitingOn, { row, bmc: null, agent: null, below: 'it waits' }),
    ];
    return { wrong: texts.filter((text) => !isSentence(text)), seen: waitingOn ?? 'running' };
  });
  return { wrong: all.flatMap(({ wrong }) => wrong), seen: all.map(({ seen }) => seen) };
}

/** Compares the prediction for the next timer with the step that it causes. @returns the wrong predictions */
function foretold(run: Run): string[] {
  const next = Math.min(...waitsOf(run.row).map(({ dueAt }) => dueAt ?? Number.POSITIVE_INFINITY));
  if (!Number.isFinite(next)) return [];
  const before = run.row;
  const labels = waitsOf(before).map(({ label }) => label);
  const after = atTime(before, run.graph, Math.max(next, run.now), unwatched);
  const predicted = labels.map((label) => (after === undefined ? undefined : change(before, after, label)));
  run.now = Math.max(next, run.now);
  run.send({ type: 'timer' });
  const actual = labels.map((label) => change(before, run.row, label));
  return predicted.flatMap((text, at) =>
    text === actual[at] && isSentence(text ?? '') ? [] : [`${text} instead of ${actual[at]}`],
  );
}

test('every wait of every graph has a sentence, and every prediction comes true', (t) => {
  const seen = new Set<string>();
  let predictions = 0;
  for (const graph of everyGraph) {
    for (const sample of launchSamples(graph)) {
      for (const choices of moves) {
        const run = new Run(graph, sample.options);
        for (const { kind, which } of choices) {
          if (!isActive(run.row.status)) break;
          const { wrong, seen: waits } = explained(run.row);
          t.deepEqual(wrong, [], graph.name);
          for (const wait of waits) seen.add(wait);
          if (which % 4 === 0) {
            t.deepEqual(foretold(run), [], graph.name);
            predictions += 1;
          } else play(run, kind, which);
        }
        if (!isActive(run.row.status)) continue;
        const env = { now: run.now, uuid: () => 'id' };
        const { row } = quarantine(run.row, quarantineError('it stopped the daemon'), env);
        for (const wait of explained(row).seen) seen.add(wait);
        t.deepEqual(explained(row).wrong, []);
      }
    }
  }
  const reached = ['bmc', 'child', 'command', 'held', 'notification', 'paused', 'release', 'retry', 'running', 'timer'];
  t.deepEqual([...seen].sort(), reached);
  t.log(`${predictions} predictions`);
  t.true(predictions > 500);
});

test('a workflow that is quarantined before its first task waits for its release, and says why', (t) => {
  const graph = everyGraph.find(({ name }) => name === 'Graph.Demo.InstallOs');
  const begun = new Run(graph as Graph).row;
  const env = { now: Date.now(), uuid: randomUUID };
  const { row } = quarantine({ ...begun, actors: {}, timers: {}, operations: {} }, quarantineError('it looped'), env);
  const [wait, ...others] = waitsOf(row);
  t.like(wait, { label: null, dueAt: null });
  t.deepEqual(others, []);
  t.regex(detailOf(wait as OpenWait, 'held', { row, bmc, agent }), /is quarantined: it looped\. .*released/);
  t.is(suggestionsFor(row, [], null)[0]?.action, 'release');
});

test('a wait that only its callback ends says so', (t) => {
  const graph = everyGraph.find(({ name }) => name === 'Graph.Demo.InstallOs') as Graph;
  const label = [...graph.labels.values()].find(({ task }) => task.name === 'Task.Wait.Notification')?.label ?? '';
  const run = new Run(graph, { [label]: { callbackOnly: true } });
  while (run.states()[label] !== 'waiting') run.done(run.operations[0] as Operation);
  const [wait] = waitsOf(run.row);
  const detail = detailOf(wait as OpenWait, 'notification', { row: run.row, bmc, agent });
  t.is(detail, `the callback of \`${label}\` has to be called; no other notification ends this wait`);
});
