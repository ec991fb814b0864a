/** The compensations of workflows that fail or are cancelled: their order, their errors, their limits. */
import test from 'ava';
import fc from 'fast-check';
import { defineGraph, FAILED, failTo, type GraphError } from '../../../../engine/define/index.ts';
import { COMPENSATIONS_LIMIT } from '../../../../engine/durable/step/compensations.ts';
import type { Operation } from '../../../../engine/durable/step/row.ts';
import { abandon } from '../../../../engine/durable/step/suspend.ts';
import { compensationOrder } from '../../../../engine/kit/end-properties.ts';
import { launchSamples } from '../../../../engine/kit/launch-samples.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import type { Graph } from '../../../../engine/library/types.ts';
import { isActive } from '../../../../engine/vocabulary/states.ts';
import graphRun from '../../../../tasks/graph-run.ts';
import noop from '../../../../tasks/noop.ts';
import { everyGraph } from '../../../support/data/catalogue.ts';

const fixture = everyGraph.find(({ name }) => name === 'Graph.Fixture.Compensate') as Graph;
const options = { first: line('a'), second: line('b'), third: { ...line('c'), failures: 0 } };

function line(name: string) {
  return { ledger: '/x', line: name };
}

const labelOf = (run: Run) => {
  const [operation] = run.operations;
  return operation && run.row.actors[`taskRun:${operation.taskRun}`]?.label;
};

const done = (run: Run, operation: Operation) => run.done(operation, { of: run.labelOf(operation) });

/** Each operation ends as given by its label; 'done' if it is not. @returns the labels in the order of their operations */
function play(run: Run, ends: Record<string, 'fail'> = {}): string[] {
  const seen: string[] = [];
  for (let n = 0; isActive(run.row.status) && n < 100; n += 1) {
    const [operation] = run.operations;
    if (operation === undefined) run.fireTimer();
    else {
      seen.push(labelOf(run) as string);
      if (ends[labelOf(run) as string] === 'fail') run.fail(operation, 'X_BROKE');
      else done(run, operation);
    }
  }
  return seen;
}

const freed = (run: Run) =>
  run.effects.some((effect) => effect.kind === 'send-to-node' && effect.message.type === 'ended');

test('a failed workflow undoes the runs of its tasks, the latest first, and keeps the cause', (t) => {
  const run = new Run(fixture, options);
  t.deepEqual(play(run, { last: 'fail' }).slice(3), [
    'last',
    'compensate-third',
    'compensate-second',
    'compensate-first',
  ]);
  t.is(run.row.status, 'failed');
  t.like(run.row.error, { code: 'X_BROKE' });
  t.false('compensations' in (run.row.error as object));
  t.is(run.states()['compensate-second'], 'succeeded');
});

test('a workflow that succeeds undoes nothing, and its compensations are skipped', (t) => {
  const run = new Run(fixture, options);
  t.deepEqual(play(run), ['first', 'second', 'third', 'last']);
  t.is(run.row.status, 'succeeded');
  t.is(run.states()['compensate-first'], 'skipped');
  t.like(run.row.progress, { value: 4, maximum: 4 }, 'a compensation does not count as progress');
});

test('a compensation gets the options and the output of the run that it undoes', (t) => {
  const run = new Run(fixture, options);
  while (labelOf(run) !== 'compensate-second') {
    const [operation] = run.operations;
    if (labelOf(run) === 'last') run.fail(operation as never);
    else run.done(operation as never);
  }
  t.like(run.operations[0]?.input, { ledger: '/x', line: 'b undone' });
});

test('a run that failed is undone only if its compensation is partial', (t) => {
  t.deepEqual(play(new Run(fixture, options), { second: 'fail' }), ['first', 'second', 'compensate-first']);
  const third = play(new Run(fixture, options), { third: 'fail' });
  t.deepEqual(third.slice(2), ['third', 'third', 'third', 'compensate-third', 'compensate-second', 'compensate-first']);
});

test('a cancelled workflow stops its tasks first, then undoes their runs, and only then frees its node', (t) => {
  const run = new Run(fixture, options);
  for (const _ of ['first', 'second']) run.done(run.operations[0] as never);
  run.send({ type: 'cancel' });
  t.is(labelOf(run), 'third');
  t.true(run.operations[0]?.aborting);
  run.endAborted();
  t.is(labelOf(run), 'compensate-third');
  t.is(run.row.status, 'running');
  t.false(freed(run));
  t.false(run.send({ type: 'cancel' }), 'a repeated cancel changes nothing');
  t.deepEqual(play(run), ['compensate-third', 'compensate-second', 'compensate-first']);
  t.is(run.row.status, 'cancelled');
  t.true(freed(run));
  t.is(run.row.error, null);
});

test('a run that succeeded although it was being cancelled is undone with its output', (t) => {
  const run = new Run(fixture, options);
  run.done(run.operations[0] as never);
  run.send({ type: 'cancel' });
  run.done(run.operations[0] as never, { line: 'b' });
  t.is(run.states().second, 'cancelled');
  t.is(labelOf(run), 'compensate-second');
  t.like(run.row.toCompensate?.at(-1), { label: 'compensate-second', output: { line: 'b' } });
});

test('when a compensation fails the others still run, and the error of the workflow lists it beside the cause', (t) => {
  const run = new Run(fixture, options);
  t.is(play(run, { last: 'fail', 'compensate-second': 'fail' }).at(-1), 'compensate-first');
  t.like(run.row.error, { code: 'X_BROKE', message: 'the call failed' });
  t.deepEqual(run.row.error?.compensations, [
    { label: 'compensate-second', code: 'X_BROKE', message: 'the call failed' },
  ]);
  t.is(run.states()['compensate-second'], 'failed');
});

test('a cancelled workflow whose compensation fails has the error COMPENSATION_FAILED', (t) => {
  const run = new Run(fixture, options);
  run.done(run.operations[0] as never);
  run.send({ type: 'cancel' });
  run.endAborted();
  play(run, { 'compensate-first': 'fail' });
  t.is(run.row.status, 'cancelled');
  t.is(run.row.error?.code, 'COMPENSATION_FAILED');
  t.is(run.row.error?.compensations?.length, 1);
});

test('a compensation has its own retries and its own timeout', (t) => {
  const run = new Run(fixture, options);
  run.done(run.operations[0] as never);
  run.done(run.operations[0] as never);
  run.send({ type: 'cancel' });
  run.endAborted();
  t.like(
    run.row.tasks.find(({ label }) => label === 'compensate-third'),
    { compensates: 'third', maxAttempts: 2 },
  );
  run.fail(run.operations[0] as never);
  t.is(run.states()['compensate-third'], 'waiting');
  run.fireTimer();
  t.is(labelOf(run), 'compensate-third');
  run.now += 60_000;
  run.send({ type: 'timer' });
  run.endAborted();
  t.is(run.states()['compensate-third'], 'timeout');
  t.is(labelOf(run), 'compensate-second');
});

test('a workflow that is cancelled without its graph lists the compensations that did not run', (t) => {
  const run = new Run(fixture, options);
  for (const _ of ['first', 'second', 'third']) run.done(run.operations[0] as never);
  run.fail(run.operations[0] as never);
  run.done(run.operations[0] as never);
  t.is(labelOf(run), 'compensate-second');
  const { row } = abandon(run.row, { type: 'cancel' }, { now: run.now, uuid: () => 'id' });
  t.is(row.status, 'cancelled');
  t.deepEqual(
    row.error?.compensations?.map(({ label }) => label),
    ['compensate-first', 'compensate-second'],
  );
  const entry = row.tasks.find(({ label }) => label === 'compensate-first');
  t.like(entry, { state: 'cancelled', error: { code: 'COMPENSATION_FAILED' } });
});

const withCompensation = everyGraph.filter(({ labels }) => [...labels.values()].some((label) => label.compensation));

test('of every graph, in any order of inputs, exactly the runs that succeeded are undone, the latest first', (t) => {
  t.true(withCompensation.length > 0);
  for (const graph of withCompensation) {
    const moves = fc.array(
      fc.record({ kind: fc.constantFrom('done', 'done', 'fail', 'timer', 'cancel'), which: fc.nat(9) }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...launchSamples(graph)), moves, (sample, inputs) => {
        const run = new Run(graph, sample.options);
        for (const { kind, which } of inputs) {
          const operation = run.operations[which % Math.max(1, run.operations.length)];
          if (kind === 'cancel') run.send({ type: 'cancel' });
          else if (kind === 'timer' || operation === undefined) run.fireTimer();
          else if (kind === 'fail') run.fail(operation);
          else done(run, operation);
        }
        play(run);
        return !isActive(run.row.status) && compensationOrder(run).length === 0;
      }),
    );
  }
});

const source = { kind: 'api' } as const;

test('a label that runs more often than a workflow may compensate fails before it begins', (t) => {
  const { createMachine } = defineGraph(
    {
      injectableName: 'Graph.Many',
      friendlyName: 'Many',
      tasks: { again: { task: noop, compensate: { task: noop } } },
    },
    {} as { context: { error: GraphError | null } },
  );
  const machine = createMachine({
    id: 'Graph.Many',
    context: { error: null },
    initial: 'again',
    states: {
      again: {
        invoke: { src: 'again', onDone: { target: 'again', reenter: true }, onError: failTo('failed') },
        after: { 1000000: 'done' },
      },
      done: { type: 'final' },
      failed: { type: 'final', tags: [FAILED] },
    },
  });
  const run = new Run(graphOf(machine, 'h', () => undefined, source));
  for (let n = 0; n < COMPENSATIONS_LIMIT; n += 1) run.done(run.operations[0] as never);
  t.is(run.row.error, null);
  t.is(run.row.tasks[0]?.error?.code, 'COMPENSATION_LIMIT');
  const undone = run.row.counts.taskRuns;
  while (isActive(run.row.status)) run.done(run.operations[0] as never);
  t.is(run.row.counts.taskRuns - undone, COMPENSATIONS_LIMIT - 1);
  t.is(run.row.error?.code, 'COMPENSATION_LIMIT');
});

test('a compensation whose input cannot be computed fails, and the others run', (t) => {
  const broken = () => {
    throw new Error('no input');
  };
  const { createMachine } = defineGraph({
    injectableName: 'Graph.Broken',
    friendlyName: 'Broken',
    tasks: {
      one: { task: noop, compensate: { task: noop, input: { delay: 5 } } },
      two: { task: noop, compensate: { task: noop, input: broken } },
      three: noop,
    },
  });
  const machine = createMachine({
    id: 'Graph.Broken',
    initial: 'one',
    states: {
      one: { invoke: { src: 'one', onDone: 'two' } },
      two: { invoke: { src: 'two', onDone: 'three' } },
      three: { invoke: { src: 'three', onDone: 'done' } },
      done: { type: 'final' },
    },
  });
  const run = new Run(graphOf(machine, 'h', () => undefined, source));
  t.deepEqual(play(run, { three: 'fail' }), ['one', 'two', 'three', 'compensate-one']);
  t.deepEqual(
    run.row.error?.compensations?.map(({ label, message }) => [label, message]),
    [['compensate-two', 'no input']],
  );
  t.is(run.row.actors.compensation, undefined, 'the ended row keeps only what its record shows');
});

test('a cancelled task that runs a child waits for the end of the child, however long it compensates', (t) => {
  const { createMachine } = defineGraph({ injectableName: 'Graph.Up', friendlyName: 'Up', tasks: { child: graphRun } });
  const machine = createMachine({
    id: 'Graph.Up',
    initial: 'child',
    states: {
      child: { invoke: { src: 'child', input: { graphName: 'Graph.X' }, onDone: 'done' } },
      done: { type: 'final' },
    },
  });
  const run = new Run(graphOf(machine, 'h', () => undefined, source));
  run.send({ type: 'cancel' });
  for (let n = 0; n < 20; n += 1) t.true(run.fireTimer());
  t.is(run.row.status, 'running');
  t.false(freed(run));
  run.endAborted();
  t.is(run.row.status, 'cancelled');
  t.true(freed(run));
});
