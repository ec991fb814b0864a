/** Marks of commands, and the waits for a BMC, as pure steps: over attempts, processes, cancellations and old rows. */
import test from 'ava';
import { bmcRetry, defineGraph } from '../../../../engine/define/index.ts';
import type { Operation } from '../../../../engine/durable/step/row.ts';
import { sentBy } from '../../../../engine/durable/step/sent.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { graphOfList } from '../../../../engine/library/forms/list-of-tasks.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import type { FlatError } from '../../../../engine/vocabulary/errors.ts';
import powerOff from '../../../../tasks/obm-node-power-off.ts';
import { everyTask } from '../../../support/data/catalogue.ts';

const NODE = 'node-1';

function start(taskName = 'Task.Obm.Node.PowerOff', options: Record<string, unknown> = {}): Run {
  const named = (name: string) => everyTask.find((task) => task.name === name);
  const json = { friendlyName: 'One', injectableName: 'Graph.One', tasks: [{ label: 'it', taskName }] };
  return new Run(graphOfList(json, { any: named, code: named }, { kind: 'api' }), { defaults: options });
}

const operationOf = ({ openOperations: [operation] }: Run): Operation => operation as Operation;
const entryOf = ({ row: { tasks } }: Run) => tasks[0];
const claim = (run: Run, by: string, over?: string) =>
  run.send({ type: 'work.claim', operation: operationOf(run).id, by, ...(over !== undefined && { over }) });
const send = (run: Run, by: string, id: string, command: 'power on' | 'power off' = 'power off') =>
  run.send({ type: 'command.send', operation: operationOf(run).id, by, id, node: NODE, command });
const sent = (run: Run) => sentBy(run.row, operationOf(run), run.now).map(({ command, done }) => [command, done]);
const fail = (run: Run, error: Partial<FlatError> & { code: string }) =>
  run.send({ type: 'work.failed', operation: operationOf(run).id, error: { name: 'E', message: 'm', ...error } });

test('a command gets one mark in a task run, whichever attempt or process asks for the second', (t) => {
  const run = start();
  claim(run, 'p1');
  t.true(send(run, 'p1', 'a'));
  t.true(send(run, 'p1', 'a'), 'the same mark, which may not have been saved');
  t.false(send(run, 'p1', 'b'));
  t.true(claim(run, 'p2', 'p1'));
  t.false(send(run, 'p2', 'c'));
  fail(run, { code: 'OBM_BUSY' });
  run.fireTimer();
  t.is(operationOf(run).attempt, 2);
  claim(run, 'p2');
  t.false(send(run, 'p2', 'd'));
  t.deepEqual(sent(run), [['power off', false]]);
});

test('only the process with the claim may set a mark, and none after a cancel or the end', (t) => {
  const run = start();
  claim(run, 'p1');
  claim(run, 'p2', 'p1');
  t.false(send(run, 'p1', 'a'));
  const { id: operation } = operationOf(run);
  run.send({ type: 'cancel' });
  t.false(run.send({ type: 'command.send', operation, by: 'p2', id: 'b', node: NODE, command: 'power off' }));
  run.endAborted();
  t.false(run.send({ type: 'command.send', operation, by: 'p2', id: 'c', node: NODE, command: 'power off' }));
});

test('a process may repeat its claim, which may not have been saved, until another one has it', (t) => {
  const run = start();
  t.true(claim(run, 'p1'));
  t.true(claim(run, 'p1'));
  t.false(claim(run, 'p2'));
  t.true(claim(run, 'p2', 'p1'));
  t.false(claim(run, 'p1'));
  t.is(operationOf(run).claim, 'p2');
});

test('a mark is removed only by its own id, and then the command may be sent', (t) => {
  const run = start();
  claim(run, 'p1');
  send(run, 'p1', 'a');
  const { id: operation } = operationOf(run);
  t.false(run.send({ type: 'command.unsent', operation, id: 'b' }));
  t.true(run.send({ type: 'command.unsent', operation, id: 'a' }));
  t.false(run.send({ type: 'command.unsent', operation, id: 'a' }));
  t.true(send(run, 'p1', 'c'));
});

test('the half of a reboot whose activity has succeeded is done in later attempts; the other half is not', (t) => {
  const run = start('Task.Obm.Node.Reboot');
  claim(run, 'p1');
  send(run, 'p1', 'a');
  run.done(operationOf(run), { power: 'off' });
  claim(run, 'p1');
  send(run, 'p1', 'b', 'power on');
  fail(run, { code: 'OBM_BUSY' });
  run.fireTimer();
  t.deepEqual(sent(run), [
    ['power off', true],
    ['power on', false],
  ]);
});

test('a task run that times out after a command was sent reports the result of the command as unknown', (t) => {
  for (const isSent of [false, true]) {
    const run = start('Task.Obm.Node.PowerOff', { _taskTimeout: 5_000 });
    claim(run, 'p1');
    if (isSent) send(run, 'p1', 'a');
    run.fireTimer();
    run.endAborted();
    t.is(entryOf(run)?.state, 'timeout');
    t.is(entryOf(run)?.error?.code, isSent ? 'OBM_UNANSWERED' : 'TASK_TIMEOUT');
  }
});

const circuitOpen = (run: Run, ms: number, more: Partial<FlatError> = {}) =>
  fail(run, { code: 'OBM_CIRCUIT_OPEN', backoffUntil: new Date(run.now + ms).toISOString(), ...more });

test('the wait for a BMC is not an attempt, states its end, and the attempt continues after it', (t) => {
  const run = start();
  const until = run.now + 30_000;
  circuitOpen(run, 30_000);
  t.like(entryOf(run), { state: 'waiting', waitingOn: 'bmc', attempts: 1, maxAttempts: bmcRetry.attempts });
  t.is(entryOf(run)?.nextAttemptAt, new Date(until).toISOString());
  t.is(run.operations.length, 0);
  run.fireTimer();
  t.is(run.now, until);
  t.like(entryOf(run), { state: 'running', waitingOn: null, nextAttemptAt: null, attempts: 1 });
  t.is(operationOf(run).attempt, 1);
});

test('an attempt that meets another back-off immediately has failed, so that repeated back-offs end the task run', (t) => {
  const run = start();
  const attempts: number[] = [];
  for (let n = 0; run.row.status === 'running' && n < 40; n += 1) {
    if (run.openOperations.length > 0) attempts.push(operationOf(run).attempt);
    if (run.openOperations.length > 0) circuitOpen(run, 30_000);
    else run.fireTimer();
  }
  t.deepEqual(
    attempts,
    [1, 2, 3, 4, 5, 6].flatMap((n) => [n, n]),
  );
  t.like(entryOf(run), { state: 'failed', attempts: bmcRetry.attempts });
  t.is(entryOf(run)?.error?.code, 'OBM_CIRCUIT_OPEN');
  t.deepEqual(
    entryOf(run)?.attemptErrors?.map(({ attempt, code }) => [attempt, code]),
    [1, 2, 3, 4, 5, 6].map((attempt) => [attempt, 'OBM_CIRCUIT_OPEN']),
  );
});

test('after a command was sent every back-off is waited for, within the limit of the task run', (t) => {
  const run = start('Task.Obm.Node.PowerOff', { _taskTimeout: 400_000 });
  claim(run, 'p1');
  send(run, 'p1', 'a');
  for (let n = 0; n < 10; n += 1) {
    circuitOpen(run, 30_000, { sent: true });
    t.is(entryOf(run)?.waitingOn, 'bmc');
    run.fireTimer();
    t.is(entryOf(run)?.attempts, 1);
  }
});

test('a back-off that outlasts the task run is not begun, and no attempt follows', (t) => {
  const run = start('Task.Obm.Node.PowerOff', { _taskTimeout: 20_000 });
  circuitOpen(run, 30_000);
  t.like(entryOf(run), { state: 'failed', attempts: 1 });
  t.is(entryOf(run)?.error?.code, 'OBM_CIRCUIT_OPEN');
});

test('a task run that waits for its BMC is cancelled immediately', (t) => {
  const run = start();
  circuitOpen(run, 30_000);
  run.send({ type: 'cancel' });
  t.is(run.row.status, 'cancelled');
  t.deepEqual(run.row.timers, {});
});

test('a failed attempt is recorded, with the time of the next; a label that is entered again begins without', (t) => {
  const { createMachine } = defineGraph({
    injectableName: 'Graph.Twice',
    friendlyName: 'Twice',
    tasks: { it: powerOff },
  });
  const again = createMachine({
    initial: 'on',
    states: {
      on: { invoke: { src: 'it', onError: { target: 'on', reenter: true }, onDone: 'end' } },
      end: { type: 'final' },
    },
  });
  const run = new Run(graphOf(again, 'hash', () => undefined, { kind: 'api' }));
  fail(run, { code: 'OBM_BUSY' });
  t.is(entryOf(run)?.attemptErrors?.length, 1);
  t.like(entryOf(run), { state: 'waiting', waitingOn: 'retry' });
  t.is(entryOf(run)?.nextAttemptAt, new Date(run.now + 2_000).toISOString());
  run.fireTimer();
  fail(run, { code: 'OBM_INVALID', retry: false });
  t.like(entryOf(run), { state: 'running', attempts: 1, nextAttemptAt: null, attemptErrors: [] });
});
