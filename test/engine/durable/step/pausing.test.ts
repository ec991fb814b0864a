/** A paused workflow begins no task run and no attempt; those under way end. */
import test from 'ava';
import { defineGraph } from '../../../../engine/define/index.ts';
import { waitsOf } from '../../../../engine/durable/step/waits.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import { retried } from '../../../support/engine/tasks.ts';

/** Two tasks in succession. */
function start(): Run {
  const { createMachine } = defineGraph({
    injectableName: 'Graph.Paused',
    friendlyName: 'Paused',
    tasks: { one: { task: retried }, two: { task: retried } },
  });
  const machine = createMachine({
    id: 'Graph.Paused',
    initial: 'first',
    states: {
      first: { invoke: { src: 'one', onDone: 'second' } },
      second: { invoke: { src: 'two', onDone: 'done' } },
      done: { type: 'final' },
    },
  });
  return new Run(
    graphOf(machine, 'h', () => undefined, { kind: 'api' }),
    {},
  );
}

const entry = (run: Run, label: string) => run.row.tasks.find((task) => task.label === label);
const only = (run: Run) => {
  const [operation, ...others] = run.operations;
  if (operation === undefined || others.length > 0) throw new Error(`found ${run.operations.length} operations`);
  return operation;
};

test('a task under way ends, the graph continues, and the next task begins after the pause, with its whole timeout', (t) => {
  const run = start();
  t.true(run.send({ type: 'pause', by: 'op' }));
  t.false(run.send({ type: 'pause', by: 'op' }), 'a repeat changes nothing');
  t.is(entry(run, 'one')?.state, 'running');
  run.done(only(run));
  t.like(entry(run, 'one'), { state: 'succeeded' });
  t.like(entry(run, 'two'), { state: 'waiting', waitingOn: 'paused', attempts: 1 });
  t.is(run.row.actors.graph?.snapshot.value, 'second');
  t.deepEqual(run.operations, []);
  t.deepEqual(run.row.timers, {}, 'no timeout passes during the pause');
  t.deepEqual(
    waitsOf(run.row).map(({ label, dueAt }) => [label, dueAt]),
    [['two', null]],
  );
  run.now += 30 * 86_400_000;
  t.true(run.send({ type: 'resume', by: 'op' }));
  t.false(run.send({ type: 'resume' }));
  t.like(entry(run, 'two'), { state: 'running', waitingOn: null });
  run.done(only(run));
  t.is(run.row.status, 'succeeded');
  t.deepEqual(
    run.history.filter(({ event }) => event.startsWith('workflow.')).map(({ event, by }) => [event, by]),
    [
      ['workflow.running', undefined],
      ['workflow.paused', 'op'],
      ['workflow.resumed', 'op'],
      ['workflow.succeeded', undefined],
    ],
  );
});

test('the next attempt waits for the end of the pause, and counts once', (t) => {
  const run = start();
  run.fail(only(run));
  run.send({ type: 'pause' });
  run.fireTimer();
  t.like(entry(run, 'one'), { state: 'waiting', waitingOn: 'paused', attempts: 2 });
  t.deepEqual(run.operations, []);
  run.send({ type: 'resume' });
  t.like(entry(run, 'one'), { state: 'running', attempts: 2 });
  t.is(only(run).attempt, 2);
});

test('an attempt that waits begins before its time, once', (t) => {
  const run = start();
  t.false(run.send({ type: 'retry-now' }), 'no attempt waits');
  run.fail(only(run));
  t.is(entry(run, 'one')?.waitingOn, 'retry');
  t.true(run.send({ type: 'retry-now', by: 'op' }));
  t.false(run.send({ type: 'retry-now', by: 'op' }));
  t.like(entry(run, 'one'), { state: 'running', attempts: 2 });
  t.is(only(run).attempt, 2);
  run.now += 500;
  t.false(run.send({ type: 'timer' }), 'the time of the attempt is over');
});

test('a cancel of a paused workflow ends the paused task without running it', (t) => {
  const run = start();
  run.send({ type: 'pause' });
  run.done(only(run));
  run.send({ type: 'cancel' });
  t.is(run.row.status, 'cancelled');
  t.like(entry(run, 'two'), { state: 'cancelled' });
  t.false(run.send({ type: 'resume' }));
});
