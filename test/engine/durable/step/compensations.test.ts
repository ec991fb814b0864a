/** The compensations of workflows that fail or are cancelled: their order, their errors, their limits. */
import test from 'ava';
import fc from 'fast-check';
import { defineGraph, FAILED, failTo, type GraphError } from '../../../../engine/define/index.ts';
import { COMPENSATIONS_LIMIT } from '../../../../engine/durable/step/compensations.ts';
import type { Operation } from '../../../../engine/durable/step/row.ts';
import { abandon } from '../../../../engine/durable/step/suspend.ts';
import { Drive } from '../../../../engine/kit/drive.ts';
import { compensationOrder } from '../../../../engine/kit/end-properties.ts';
import { launchSamples } from '../../../../engine/kit/launch-samples.ts';
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

const labelOf = (drive: Drive) => {
  const [operation] = drive.operations;
  return operation && drive.row.actors[`taskRun:${operation.taskRun}`]?.label;
};

const done = (drive: Drive, operation: Operation) => drive.done(operation, { of: drive.labelOf(operation) });

/** Each operation ends as given by its label; 'done' if it is not. @returns the labels in the order of their operations */
function play(drive: Drive, ends: Record<string, 'fail'> = {}): string[] {
  const seen: string[] = [];
  for (let n = 0; isActive(drive.row.status) && n < 100; n += 1) {
    const [operation] = drive.operations;
    if (operation === undefined) drive.wake();
    else {
      seen.push(labelOf(drive) as string);
      if (ends[labelOf(drive) as string] === 'fail') drive.fail(operation, 'X_BROKE');
      else done(drive, operation);
    }
  }
  return seen;
}

const freed = (drive: Drive) =>
  drive.effects.some((effect) => effect.kind === 'send-to-node' && effect.message.type === 'ended');

test('a failed workflow undoes the runs of its tasks, the latest first, and keeps the cause', (t) => {
  const drive = new Drive(fixture, options);
  t.deepEqual(play(drive, { last: 'fail' }).slice(3), [
    'last',
    'compensate-third',
    'compensate-second',
    'compensate-first',
  ]);
  t.is(drive.row.status, 'failed');
  t.like(drive.row.error, { code: 'X_BROKE' });
  t.false('compensations' in (drive.row.error as object));
  t.is(drive.states()['compensate-second'], 'succeeded');
});

test('a workflow that succeeds undoes nothing, and its compensations are skipped', (t) => {
  const drive = new Drive(fixture, options);
  t.deepEqual(play(drive), ['first', 'second', 'third', 'last']);
  t.is(drive.row.status, 'succeeded');
  t.is(drive.states()['compensate-first'], 'skipped');
  t.like(drive.row.progress, { value: 4, maximum: 4 }, 'a compensation does not count as progress');
});

test('a compensation gets the options and the output of the run that it undoes', (t) => {
  const drive = new Drive(fixture, options);
  while (labelOf(drive) !== 'compensate-second') {
    const [operation] = drive.operations;
    if (labelOf(drive) === 'last') drive.fail(operation as never);
    else drive.done(operation as never);
  }
  t.like(drive.operations[0]?.input, { ledger: '/x', line: 'b undone' });
});

test('a run that failed is undone only if its compensation is partial', (t) => {
  t.deepEqual(play(new Drive(fixture, options), { second: 'fail' }), ['first', 'second', 'compensate-first']);
  const third = play(new Drive(fixture, options), { third: 'fail' });
  t.deepEqual(third.slice(2), ['third', 'third', 'third', 'compensate-third', 'compensate-second', 'compensate-first']);
});

test('a cancelled workflow stops its tasks first, then undoes their runs, and only then frees its node', (t) => {
  const drive = new Drive(fixture, options);
  for (const _ of ['first', 'second']) drive.done(drive.operations[0] as never);
  drive.send({ type: 'cancel' });
  t.is(labelOf(drive), 'third');
  t.true(drive.operations[0]?.aborting);
  drive.quiet();
  t.is(labelOf(drive), 'compensate-third');
  t.is(drive.row.status, 'running');
  t.false(freed(drive));
  t.false(drive.send({ type: 'cancel' }), 'a repeated cancel changes nothing');
  t.deepEqual(play(drive), ['compensate-third', 'compensate-second', 'compensate-first']);
  t.is(drive.row.status, 'cancelled');
  t.true(freed(drive));
  t.is(drive.row.error, null);
});

test('a run that succeeded although it was being cancelled is undone with its output', (t) => {
  const drive = new Drive(fixture, options);
  drive.done(drive.operations[0] as never);
  drive.send({ type: 'cancel' });
  drive.done(drive.operations[0] as never, { line: 'b' });
  t.is(drive.states().second, 'cancelled');
  t.is(labelOf(drive), 'compensate-second');
  t.like(drive.row.toCompensate?.at(-1), { label: 'compensate-second', output: { line: 'b' } });
});

test('when a compensation fails the others still run, and the error of the workflow lists it beside the cause', (t) => {
  const drive = new Drive(fixture, options);
  t.is(play(drive, { last: 'fail', 'compensate-second': 'fail' }).at(-1), 'compensate-first');
  t.like(drive.row.error, { code: 'X_BROKE', message: 'it broke' });
  t.deepEqual(drive.row.error?.compensations, [{ label: 'compensate-second', code: 'X_BROKE', message: 'it broke' }]);
  t.is(drive.states()['compensate-second'], 'failed');
});

test('a cancelled workflow whose compensation fails has the error COMPENSATION_FAILED', (t) => {
  const drive = new Drive(fixture, options);
  drive.done(drive.operations[0] as never);
  drive.send({ type: 'cancel' });
  drive.quiet();
  play(drive, { 'compensate-first': 'fail' });
  t.is(drive.row.status, 'cancelled');
  t.is(drive.row.error?.code, 'COMPENSATION_FAILED');
  t.is(drive.row.error?.compensations?.length, 1);
});

test('a compensation has its own retries and its own timeout', (t) => {
  const drive = new Drive(fixture, options);
  drive.done(drive.operations[0] as never);
  drive.done(drive.operations[0] as never);
  drive.send({ type: 'cancel' });
  drive.quiet();
  t.like(
    drive.row.tasks.find(({ label }) => label === 'compensate-third'),
    { compensates: 'third', maxAttempts: 2 },
  );
  drive.fail(drive.operations[0] as never);
  t.is(drive.states()['compensate-third'], 'waiting');
  drive.wake();
  t.is(labelOf(drive), 'compensate-third');
  drive.now += 60_000;
  drive.send({ type: 'wake' });
  drive.quiet();
  t.is(drive.states()['compensate-third'], 'timeout');
  t.is(labelOf(drive), 'compensate-second');
});

test('a workflow that is cancelled without its graph lists the compensations that did not run', (t) => {
  const drive = new Drive(fixture, options);
  for (const _ of ['first', 'second', 'third']) drive.done(drive.operations[0] as never);
  drive.fail(drive.operations[0] as never);
  drive.done(drive.operations[0] as never);
  t.is(labelOf(drive), 'compensate-second');
  const { row } = abandon(drive.row, { type: 'cancel' }, { now: drive.now, uuid: () => 'id' });
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
      fc.record({ kind: fc.constantFrom('done', 'done', 'fail', 'wake', 'cancel'), which: fc.nat(9) }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...launchSamples(graph)), moves, (sample, inputs) => {
        const drive = new Drive(graph, sample.options);
        for (const { kind, which } of inputs) {
          const operation = drive.operations[which % Math.max(1, drive.operations.length)];
          if (kind === 'cancel') drive.send({ type: 'cancel' });
          else if (kind === 'wake' || operation === undefined) drive.wake();
          else if (kind === 'fail') drive.fail(operation);
          else done(drive, operation);
        }
        play(drive);
        return !isActive(drive.row.status) && compensationOrder(drive).length === 0;
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
  const drive = new Drive(graphOf(machine, 'h', () => undefined, source));
  for (let n = 0; n < COMPENSATIONS_LIMIT; n += 1) drive.done(drive.operations[0] as never);
  t.is(drive.row.error, null);
  t.is(drive.row.tasks[0]?.error?.code, 'COMPENSATION_LIMIT');
  const undone = drive.row.counts.taskRuns;
  while (isActive(drive.row.status)) drive.done(drive.operations[0] as never);
  t.is(drive.row.counts.taskRuns - undone, COMPENSATIONS_LIMIT - 1);
  t.is(drive.row.error?.code, 'COMPENSATION_LIMIT');
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
  const drive = new Drive(graphOf(machine, 'h', () => undefined, source));
  t.deepEqual(play(drive, { three: 'fail' }), ['one', 'two', 'three', 'compensate-one']);
  t.deepEqual(
    drive.row.error?.compensations?.map(({ label, message }) => [label, message]),
    [['compensate-two', 'no input']],
  );
  t.is(drive.row.actors.compensation, undefined, 'the ended row keeps only what its record shows');
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
  const drive = new Drive(graphOf(machine, 'h', () => undefined, source));
  drive.send({ type: 'cancel' });
  for (let n = 0; n < 20; n += 1) t.true(drive.wake());
  t.is(drive.row.status, 'running');
  t.false(freed(drive));
  drive.quiet();
  t.is(drive.row.status, 'cancelled');
  t.true(freed(drive));
});
