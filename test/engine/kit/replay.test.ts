/** Recorded runs, stepped again on the same graph and on changed ones. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { defineGraph, FAILED } from '../../../engine/define/index.ts';
import { type RecordedRun, recordedRun, replay } from '../../../engine/kit/index.ts';
import { launchSamples } from '../../../engine/kit/launch-samples.ts';
import { Run } from '../../../engine/kit/run.ts';
import { graphOf } from '../../../engine/library/forms/machine.ts';
import noop from '../../../tasks/noop.ts';
import waitNotification from '../../../tasks/wait-notification.ts';
import { everyGraph } from '../../support/data/catalogue.ts';
import { retried } from '../../support/engine/tasks.ts';

/** As the API would answer it. */
function recordedFrom({ row, history, graph }: Run): RecordedRun {
  const { node, status, options, createdAt } = row;
  const tasks = row.tasks.map(({ label, taskName, state, attempts, startedAt, finishedAt, output }) => {
    return { label, taskName, state, attempts, startedAt, finishedAt, output };
  });
  const workflow = { injectableName: graph.name, definitionHash: graph.hash, node, status, options, tasks, createdAt };
  return JSON.parse(JSON.stringify({ workflow, history }));
}

const moves = fc.array(
  fc.record({ kind: fc.constantFrom('done', 'done', 'fail', 'timer', 'cancel'), which: fc.nat(9) }),
  {
    maxLength: 25,
  },
);

for (const graph of everyGraph) {
  test(`${graph.name}: every course that is recorded is the same when it is replayed`, (t) => {
    const sample = fc.constantFrom(...launchSamples(graph));
    fc.assert(
      fc.property(sample, moves, ({ options, outputs }, inputs) => {
        const run = new Run(graph, options);
        for (const { kind, which } of inputs) {
          const operation = run.operations[which % Math.max(1, run.operations.length)];
          run.now += 3;
          if (kind === 'cancel' && which < 3) run.send({ type: 'cancel' });
          else if (kind === 'timer' || operation === undefined) run.fireTimer();
          else if (kind === 'fail') run.fail(operation, 'X_BROKE', which % 2 === 0 ? { retry: false } : {});
          else run.done(operation, outputs[run.labelOf(operation)]?.[0] ?? {});
        }
        const result = replay(recordedFrom(run), graph);
        if (result.difference !== null) throw new Error(result.difference.message);
        return result.isSameVersion && result.same === result.steps;
      }),
      { numRuns: 40 },
    );
    t.pass();
  });
}

const { createMachine: make } = defineGraph({
  injectableName: 'Graph.Recorded',
  friendlyName: 'Recorded',
  tasks: { disks: retried, back: waitNotification, last: noop },
});

/** @param next of the notification's state */
const machine = (next: string) =>
  graphOf(
    make({
      id: 'Graph.Recorded',
      initial: 'burning',
      states: {
        burning: { invoke: { src: 'disks', onDone: 'waiting', onError: 'failed' } },
        waiting: { invoke: { src: 'back', onDone: next, onError: 'failed' } },
        last: { invoke: { src: 'last', onDone: 'done', onError: 'failed' } },
        done: { type: 'final' },
        failed: { type: 'final', tags: [FAILED] },
      },
    }),
    `hash-${next}`,
    () => undefined,
    { kind: 'api' },
  );

function recordedCourse(): RecordedRun {
  const run = new Run(machine('last'));
  run.fail(run.operations[0] as never);
  run.fireTimer();
  run.done(run.operations[0] as never);
  run.now += 90_000;
  run.done(run.operations[0] as never, { ip: '10.1.1.7' });
  run.done(run.operations[0] as never);
  return recordedFrom(run);
}

test('a run on the same graph has no difference', (t) => {
  t.deepEqual(replay(recordedCourse(), machine('last')), {
    graph: 'Graph.Recorded',
    isSameVersion: true,
    steps: 6,
    same: 6,
    difference: null,
    assumed: [],
  });
});

test('on a changed graph, the first step that leads elsewhere is named, in words', (t) => {
  const { difference, same, isSameVersion } = replay(recordedCourse(), machine('done'));
  t.false(isSameVersion);
  t.is(same, 4);
  t.is(difference?.at, '1m 30.5s');
  t.deepEqual(difference?.recorded, [
    'back: waiting -> succeeded [task.succeeded]',
    'last: pending -> running [task.running]',
    'graph: waiting -> last',
  ]);
  t.true(difference?.replayed.includes('graph: waiting -> done'));
  t.regex(String(difference?.message), /^1m 30\.5s after the launch, in step \d+ \(activity w3\): recorded back:/);
});

test('a graph without the label, or with other retries, differs at the launch or at the retry', (t) => {
  const noRetry = graphOf(
    defineGraph({
      injectableName: 'Graph.Recorded',
      friendlyName: 'R',
      tasks: { disks: noop, back: waitNotification, last: noop },
    }).createMachine(machine('last').machine.config as never),
    'h',
    () => undefined,
    { kind: 'api' },
  );
  const { difference, same } = replay(recordedCourse(), noRetry);
  t.is(same, 1);
  t.true(difference?.replayed.some((line) => line.startsWith('disks: running -> failed')));
});

test('a file of a run is read with a check of its shape, and a bad one is named', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'nodewright-run-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'run.json');
  writeFileSync(file, JSON.stringify(recordedCourse()));
  t.is(replay(recordedRun(file), machine('last')).difference, null);
  writeFileSync(file, '{"workflow":{}}');
  t.throws(() => recordedRun(file), {
    message: /run\.json with .*workflow\.injectableName.*nw history ID --export file/,
  });
  t.throws(() => recordedRun(join(folder, 'no.json')), { message: /found no file/ });
});
