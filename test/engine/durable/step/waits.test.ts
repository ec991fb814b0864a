/** Waits: what each open task waits for, since when, and when that ends by itself. */
import test from 'ava';
import { defineGraph } from '../../../../engine/define/index.ts';
import { earliestDue, leadingWait, waitsOf } from '../../../../engine/durable/step/waits.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import sleep from '../../../../tasks/sleep.ts';
import waitNotification from '../../../../tasks/wait-notification.ts';
import { retried } from '../../../support/engine/tasks.ts';

/** All three tasks run at the same time, beside a timer of the graph. */
function start(): Run {
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
  return new Run(
    graphOf(machine, 'h', () => undefined, { kind: 'api' }),
    options,
  );
}

const waitsIn = ({ row }: Run) =>
  Object.fromEntries(
    waitsOf(row).map(({ label, entry, dueAt }) => [label ?? 'graph', [entry?.waitingOn ?? null, dueAt]]),
  );

test('a retry is due at its next attempt, a timer when it fires, a notification at the timeout of its task', (t) => {
  const run = start();
  const { now } = run;
  run.fail(run.operations.find(({ kind }) => kind === 'activity') as never);
  const { try: tried, ...others } = waitsIn(run);
  t.deepEqual(tried, ['retry', now + 500]);
  t.deepEqual(others, {
    sleep: ['timer', now + 2_000],
    back: ['notification', now + 3_000],
    graph: [null, now + 4_000],
  });
});

test('a list shows the wait that ends first, and none while a task runs', (t) => {
  const run = start();
  const leading = () => leadingWait(run.row, waitsOf(run.row));
  t.is(leading(), null, 'an attempt of `try` runs');
  run.fail(run.operations.find(({ kind }) => kind === 'activity') as never);
  const at = new Date(run.now).toISOString();
  t.deepEqual(leading(), { label: 'try', waitingOn: 'retry', since: at, isForAgent: false });
  const [, ...others] = waitsOf(run.row);
  t.like(leadingWait(run.row, others), { label: 'sleep', waitingOn: 'timer' });
  t.like(
    leadingWait(
      run.row,
      others.filter(({ label }) => label === null),
    ),
    { label: null, waitingOn: 'timer' },
  );
  t.is(leadingWait(run.row, []), null);
});

test('a wait shows since when it lasts, and a later one of the same label begins anew', (t) => {
  const run = start();
  const since = () => run.row.tasks.find(({ label }) => label === 'try')?.waitingSince;
  t.is(since(), undefined);
  run.now += 50;
  run.fail(run.operations.find(({ kind }) => kind === 'activity') as never);
  const first = run.now;
  t.is(since(), new Date(first).toISOString());
  run.fireTimer();
  run.fail(run.operations.find(({ kind }) => kind === 'activity') as never);
  t.is(since(), new Date(first + 500).toISOString());
});

test('a workflow that has ended has no waits; without a limit the earliest end is null', (t) => {
  const run = start();
  run.send({ type: 'cancel' });
  run.endAborted();
  t.is(run.row.status, 'cancelled');
  t.deepEqual(waitsOf(run.row), []);
  t.is(earliestDue([]), null);
  t.is(earliestDue([null, 7, 3]), 3);
});

test('the history says what caused each line, who asked for it, and why an attempt failed', (t) => {
  const run = start();
  t.deepEqual(run.pendingEffects[0]?.origin, { cause: { kind: 'engine', ref: null } });
  const { id } = run.operations.find(({ kind }) => kind === 'activity') as never as { id: string };
  run.send({
    type: 'work.failed',
    operation: id,
    error: { name: 'Error', message: 'the call failed', code: 'TASK_FAILED' },
  });
  const failed = run.history.at(-1);
  t.like(failed, { event: 'task.waiting', label: 'try', cause: { kind: 'activity', ref: id } });
  t.deepEqual(failed?.error, { code: 'TASK_FAILED', message: 'the call failed' });
  run.fireTimer();
  t.like(run.history.at(-1), { event: 'task.running', attempt: 2, cause: { kind: 'timer', ref: null } });
  const before = run.history.length;
  run.send({ type: 'cancel', by: 'op' });
  const cancelled = run.history.slice(before);
  t.like(cancelled[0], { event: 'workflow.cancelling', by: 'op', cause: { kind: 'user', ref: 'op' } });
  t.true(cancelled.every(({ by }) => by === 'op'));
});

test('a nested state of a graph is JSON in the history, not text', (t) => {
  const run = start();
  run.now += 2_000;
  run.send({ type: 'timer' });
  const line = run.history.findLast(({ label }) => label === undefined);
  t.deepEqual(line?.from, { tries: 'on', sleeps: 'on', waits: 'on' });
  t.deepEqual(line?.to, { tries: 'on', sleeps: 'off', waits: 'on' });
});
