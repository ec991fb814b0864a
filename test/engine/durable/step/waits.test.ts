/** Waits: what each open task waits for, since when, and when that ends by itself. */
import test from 'ava';
import { defineGraph } from '../../../../engine/define/index.ts';
import { earliestDue, leadingWait, waitsOf } from '../../../../engine/durable/step/waits.ts';
import { Drive } from '../../../../engine/kit/drive.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import sleep from '../../../../tasks/sleep.ts';
import waitNotification from '../../../../tasks/wait-notification.ts';
import { retried } from '../../../support/engine/tasks.ts';

/** All three tasks run at once, beside a timer of the graph. */
function start(): Drive {
  const { createMachine } = defineGraph({
    injectableName: 'Graph.Waits',
    friendlyName: 'Waits',
    tasks: { try: { task: retried }, sleep: { task: sleep }, back: { task: waitNotification } },
  });
  const end = { type: 'final' } as const;
  const machine = createMachine({
    id: 'Graph.Waits',
    type: 'parallel',
    states: {
      tries: { initial: 'on', states: { on: { invoke: { src: 'try', onDone: 'off' } }, off: end } },
      sleeps: { initial: 'on', states: { on: { invoke: { src: 'sleep', onDone: 'off' } }, off: end } },
      waits: {
        initial: 'on',
        states: { on: { invoke: { src: 'back', onDone: 'off' }, after: { 4000: 'off' } }, off: end },
      },
    },
  });
  const options = { sleep: { duration: 2_000 }, back: { _taskTimeout: 3_000 } };
  return new Drive(
    graphOf(machine, 'h', () => undefined, { kind: 'api' }),
    options,
  );
}

const waitsIn = ({ row }: Drive) =>
  Object.fromEntries(
    waitsOf(row).map(({ label, entry, dueAt }) => [label ?? 'graph', [entry?.waitingOn ?? null, dueAt]]),
  );

test('a retry is due at its next attempt, a timer when it fires, a notification at the timeout of its task', (t) => {
  const drive = start();
  const { now } = drive;
  drive.fail(drive.operations.find(({ kind }) => kind === 'activity') as never);
  const { try: tried, ...others } = waitsIn(drive);
  t.deepEqual(tried, ['retry', now + 500]);
  t.deepEqual(others, {
    sleep: ['timer', now + 2_000],
    back: ['notification', now + 3_000],
    graph: [null, now + 4_000],
  });
});

test('a list shows the wait that ends first, and none while a task runs', (t) => {
  const drive = start();
  const leading = () => leadingWait(drive.row, waitsOf(drive.row));
  t.is(leading(), null, 'an attempt of `try` runs');
  drive.fail(drive.operations.find(({ kind }) => kind === 'activity') as never);
  const at = new Date(drive.now).toISOString();
  t.deepEqual(leading(), { label: 'try', waitingOn: 'retry', since: at, isForAgent: false });
  const [, ...others] = waitsOf(drive.row);
  t.like(leadingWait(drive.row, others), { label: 'sleep', waitingOn: 'timer' });
  t.like(
    leadingWait(
      drive.row,
      others.filter(({ label }) => label === null),
    ),
    { label: null, waitingOn: 'timer' },
  );
  t.is(leadingWait(drive.row, []), null);
});

test('a wait shows since when it lasts, and a later one of the same label begins anew', (t) => {
  const drive = start();
  const since = () => drive.row.tasks.find(({ label }) => label === 'try')?.waitingSince;
  t.is(since(), undefined);
  drive.now += 50;
  drive.fail(drive.operations.find(({ kind }) => kind === 'activity') as never);
  const first = drive.now;
  t.is(since(), new Date(first).toISOString());
  drive.wake();
  drive.fail(drive.operations.find(({ kind }) => kind === 'activity') as never);
  t.is(since(), new Date(first + 500).toISOString());
});

test('a workflow that has ended has no waits; without a limit the earliest end is null', (t) => {
  const drive = start();
  drive.send({ type: 'cancel' });
  drive.quiet();
  t.is(drive.row.status, 'cancelled');
  t.deepEqual(waitsOf(drive.row), []);
  t.is(earliestDue([]), null);
  t.is(earliestDue([null, 7, 3]), 3);
});

test('the history says what caused each line, who asked for it, and why an attempt failed', (t) => {
  const drive = start();
  t.deepEqual(drive.todos[0]?.origin, { cause: { kind: 'engine', ref: null } });
  const { id } = drive.operations.find(({ kind }) => kind === 'activity') as never as { id: string };
  drive.send({
    type: 'work.failed',
    operation: id,
    error: { name: 'Error', message: 'it broke', code: 'TASK_FAILED' },
  });
  const failed = drive.history.at(-1);
  t.like(failed, { event: 'task.waiting', label: 'try', cause: { kind: 'activity', ref: id } });
  t.deepEqual(failed?.error, { code: 'TASK_FAILED', message: 'it broke' });
  drive.wake();
  t.like(drive.history.at(-1), { event: 'task.running', attempt: 2, cause: { kind: 'timer', ref: null } });
  const before = drive.history.length;
  drive.send({ type: 'cancel', by: 'op' });
  const cancelled = drive.history.slice(before);
  t.like(cancelled[0], { event: 'workflow.cancelling', by: 'op', cause: { kind: 'user', ref: 'op' } });
  t.true(cancelled.every(({ by }) => by === 'op'));
});

test('a nested state of a graph is JSON in the history, not text', (t) => {
  const drive = start();
  drive.now += 2_000;
  drive.send({ type: 'wake' });
  const line = drive.history.findLast(({ label }) => label === undefined);
  t.deepEqual(line?.from, { tries: 'on', sleeps: 'on', waits: 'on' });
  t.deepEqual(line?.to, { tries: 'on', sleeps: 'off', waits: 'on' });
});
