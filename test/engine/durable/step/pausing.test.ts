/** A paused workflow begins no task run and no attempt; those under way end. */
import test from 'ava';
import { defineGraph } from '../../../../engine/define/index.ts';
import { waitsOf } from '../../../../engine/durable/step/waits.ts';
import { Drive } from '../../../../engine/kit/drive.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import { retried } from '../../../support/engine/tasks.ts';

/** Two tasks in succession. */
function start(): Drive {
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
  return new Drive(
    graphOf(machine, 'h', () => undefined, { kind: 'api' }),
    {},
  );
}

const entry = (drive: Drive, label: string) => drive.row.tasks.find((task) => task.label === label);
const only = (drive: Drive) => {
  const [operation, ...others] = drive.operations;
  if (operation === undefined || others.length > 0) throw new Error(`found ${drive.operations.length} operations`);
  return operation;
};

test('a task under way ends, the graph goes on, and the next task begins after the pause, with its whole timeout', (t) => {
  const drive = start();
  t.true(drive.send({ type: 'pause', by: 'op' }));
  t.false(drive.send({ type: 'pause', by: 'op' }), 'a repeat changes nothing');
  t.is(entry(drive, 'one')?.state, 'running');
  drive.done(only(drive));
  t.like(entry(drive, 'one'), { state: 'succeeded' });
  t.like(entry(drive, 'two'), { state: 'waiting', waitingOn: 'paused', attempts: 1 });
  t.is(drive.row.actors.graph?.snapshot.value, 'second');
  t.deepEqual(drive.operations, []);
  t.deepEqual(drive.row.timers, {}, 'no timeout passes during the pause');
  t.deepEqual(
    waitsOf(drive.row).map(({ label, dueAt }) => [label, dueAt]),
    [['two', null]],
  );
  drive.now += 30 * 86_400_000;
  t.true(drive.send({ type: 'resume', by: 'op' }));
  t.false(drive.send({ type: 'resume' }));
  t.like(entry(drive, 'two'), { state: 'running', waitingOn: null });
  drive.done(only(drive));
  t.is(drive.row.status, 'succeeded');
  t.deepEqual(
    drive.history.filter(({ event }) => event.startsWith('workflow.')).map(({ event, by }) => [event, by]),
    [
      ['workflow.running', undefined],
      ['workflow.paused', 'op'],
      ['workflow.resumed', 'op'],
      ['workflow.succeeded', undefined],
    ],
  );
});

test('the next attempt waits for the end of the pause, and counts once', (t) => {
  const drive = start();
  drive.fail(only(drive));
  drive.send({ type: 'pause' });
  drive.wake();
  t.like(entry(drive, 'one'), { state: 'waiting', waitingOn: 'paused', attempts: 2 });
  t.deepEqual(drive.operations, []);
  drive.send({ type: 'resume' });
  t.like(entry(drive, 'one'), { state: 'running', attempts: 2 });
  t.is(only(drive).attempt, 2);
});

test('an attempt that waits begins before its time, once', (t) => {
  const drive = start();
  t.false(drive.send({ type: 'retry-now' }), 'no attempt waits');
  drive.fail(only(drive));
  t.is(entry(drive, 'one')?.waitingOn, 'retry');
  t.true(drive.send({ type: 'retry-now', by: 'op' }));
  t.false(drive.send({ type: 'retry-now', by: 'op' }));
  t.like(entry(drive, 'one'), { state: 'running', attempts: 2 });
  t.is(only(drive).attempt, 2);
  drive.now += 500;
  t.false(drive.send({ type: 'wake' }), 'the time of the attempt is over');
});

test('a cancel of a paused workflow ends the held task without running it', (t) => {
  const drive = start();
  drive.send({ type: 'pause' });
  drive.done(only(drive));
  drive.send({ type: 'cancel' });
  t.is(drive.row.status, 'cancelled');
  t.like(entry(drive, 'two'), { state: 'cancelled' });
  t.false(drive.send({ type: 'resume' }));
});
