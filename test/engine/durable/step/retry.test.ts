/** Retry policies of tasks and labels: when another attempt follows, and after how long. */
import test from 'ava';
import { defineGraph, defineTask, NothingDoneError, type Retry, Type } from '../../../../engine/define/index.ts';
import type { LabelDefinition } from '../../../../engine/define/policies.ts';
import { delayAfter } from '../../../../engine/define/retry.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import { flatten } from '../../../../engine/vocabulary/errors.ts';
import type { Recovery } from '../../../../engine/vocabulary/states.ts';
import linuxCommands from '../../../../tasks/linux-commands.ts';
import powerOn from '../../../../tasks/obm-node-power-on.ts';

const taskOf = (recovery: Recovery, retry?: Retry) =>
  defineTask({
    injectableName: 'Task.Tried',
    friendlyName: 'Tried',
    recovery,
    ...(retry && { retry }),
    optionsSchema: Type.Object({}),
    run: async () => ({}),
  });

function start(entry: LabelDefinition, options: Record<string, unknown> = {}): Run {
  const { createMachine } = defineGraph({ injectableName: 'Graph.Try', friendlyName: 'Try', tasks: { it: entry } });
  const machine = createMachine({
    id: 'Graph.Try',
    initial: 'trying',
    states: { trying: { invoke: { src: 'it', onDone: 'done' } }, done: { type: 'final' } },
  });
  return new Run(
    graphOf(machine, 'h', () => undefined, { kind: 'api' }),
    { it: options },
  );
}

const entry = (run: Run) => run.row.tasks[0];

function fail(run: Run, thrown: unknown): void {
  const operation = run.operations[0]?.id as string;
  run.send({ type: 'work.failed', operation, error: flatten(thrown) });
}

test('the policy of a label replaces that of its task, and its delays grow by its factor up to its limit', (t) => {
  const retry = { attempts: 4, delayMs: 100, factor: 3, maxDelayMs: 500 };
  const run = start({ task: taskOf('idempotent', { attempts: 2, delayMs: 7 }), retry });
  const waited: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    fail(run, new Error('no'));
    t.like(entry(run), { state: 'waiting', waitingOn: 'retry', attempts: n + 1, maxAttempts: 4 });
    const before = run.now;
    t.is(entry(run)?.nextAttemptAt, new Date(before + ([100, 300, 500][n] as number)).toISOString());
    run.fireTimer();
    waited.push(run.now - before);
  }
  t.deepEqual(waited, [100, 300, 500]);
  fail(run, new Error('no'));
  t.is(run.row.status, 'failed');
  t.is(entry(run)?.attemptErrors?.length, 4);
  const failed = run.history.filter(({ label, error }) => label !== undefined && error !== undefined);
  t.deepEqual(
    failed.map(({ to, attempt }) => [to, attempt]),
    [
      ['waiting', 1],
      ['waiting', 2],
      ['waiting', 3],
      ['failed', 4],
    ],
    'the history has the attempt of each failure',
  );
});

test('with a list of codes, no attempt follows another error', (t) => {
  const retry = { attempts: 3, delayMs: 0, on: ['OBM_UNREACHABLE'] };
  const run = start({ task: taskOf('idempotent'), retry });
  fail(run, { message: 'gone', code: 'OBM_UNREACHABLE' });
  t.is(entry(run)?.state, 'waiting');
  run.fireTimer();
  fail(run, { message: 'odd', code: 'X_ODD' });
  t.like(entry(run), { state: 'failed', attempts: 2 });
});

test('a once task is attempted again by the policy of a graph if its options say that it changes nothing', (t) => {
  const task = defineTask({
    ...{ injectableName: 'Task.Sends', friendlyName: 'Sends', recovery: 'once', readOnly: { method: ['GET'] } },
    optionsSchema: Type.Object({ method: Type.String() }),
    run: async () => ({}),
  });
  for (const [method, state] of [
    ['GET', 'waiting'],
    ['POST', 'failed'],
  ] as const) {
    const run = start({ task, retry: { attempts: 2, delayMs: 10 } }, { method });
    fail(run, new Error('no'));
    t.is(entry(run)?.state, state, method);
  }
});

test('a once task is attempted again by the policy of a graph only if nothing was carried out', (t) => {
  const retry = { attempts: 3, delayMs: 10 };
  const unsure = start({ task: taskOf('once'), retry });
  fail(unsure, { message: 'rejected', code: 'OBM_UNREACHABLE' });
  t.is(entry(unsure)?.state, 'failed');
  const sure = start({ task: taskOf('once'), retry });
  fail(sure, new NothingDoneError('not connected'));
  t.is(entry(sure)?.state, 'waiting');
  sure.fireTimer();
  t.like(entry(sure), { state: 'running', attempts: 2 });
});

test('a once task is not attempted again after one of its operations succeeded', (t) => {
  const commands = ['one', 'two'];
  const first = start({ task: linuxCommands, retry: { attempts: 3, delayMs: 10 } }, { commands });
  fail(first, new NothingDoneError('the first command'));
  t.is(entry(first)?.state, 'waiting');
  const second = start({ task: linuxCommands, retry: { attempts: 3, delayMs: 10 } }, { commands });
  second.done(second.operations[0] as never, { exitCode: 0, stdout: '', stderr: '' });
  fail(second, new NothingDoneError('the second command'));
  t.is(entry(second)?.state, 'failed');
});

test('a once task that repeats safely by its own policy does so by that of a graph', (t) => {
  const run = start({ task: powerOn, retry: { attempts: 2, delayMs: 10 } });
  fail(run, { message: 'no route', code: 'OBM_UNREACHABLE' });
  t.like(entry(run), { state: 'waiting', maxAttempts: 2 });
});

test('no policy repeats an interrupted activity, or one whose error excludes it', (t) => {
  for (const error of [
    { message: 'died', code: 'TASK_INTERRUPTED', retry: false },
    { message: 'unknown', code: 'OBM_UNANSWERED', retry: false, sent: true },
    { message: 'never', code: 'X_NEVER', retry: false },
  ]) {
    const run = start({ task: taskOf('idempotent'), retry: { attempts: 3, delayMs: 10 } });
    fail(run, error);
    t.like(entry(run), { state: 'failed', attempts: 1 }, error.code);
  }
});

test('the timeout of a label covers all of its attempts, aborts the activity, and fails the task run', (t) => {
  const run = start({
    task: taskOf('idempotent'),
    retry: { attempts: 9, delayMs: 400, factor: 1 },
    timeoutMs: 1_000,
  });
  for (let n = 0; n < 2; n += 1) {
    fail(run, new Error('no'));
    run.fireTimer();
  }
  t.is(entry(run)?.attempts, 3);
  run.fireTimer();
  t.true(run.effects.some(({ kind }) => kind === 'abort'));
  run.endAborted();
  t.like(entry(run), { state: 'timeout', attempts: 3 });
  t.is(run.row.error?.code, 'TASK_TIMEOUT');
});

test('the number of attempts and the time of the next one are in the row, so another process continues with them', (t) => {
  const run = start({ task: taskOf('idempotent'), retry: { attempts: 3, delayMs: 500 } });
  fail(run, new Error('no'));
  const [timer] = Object.values(run.row.timers).filter(({ event }) => event.type.includes('backoff'));
  t.is(timer?.at, run.now + 500);
  // The next process reads the row from the store.
  run.row = JSON.parse(JSON.stringify(run.row));
  run.fireTimer();
  t.is(run.operations[0]?.attempt, 2);
});

test('a delay never exceeds its limit, and none stays none', (t) => {
  t.is(delayAfter({ attempts: 1_000, delayMs: 0, factor: 100 }, 999), 0);
  t.is(delayAfter({ attempts: 1_000, delayMs: 1, factor: 100 }, 999), 60_000);
  t.is(delayAfter({ attempts: 3, delayMs: 1_000 }, 1), 1_000);
  t.is(delayAfter({ attempts: 3, delayMs: 1_000 }, 2), 2_000);
});
