/** Marks of commands, and the waits for a BMC, as pure steps: over attempts, processes, cancellations and old rows. */
import test from 'ava';
import { defineGraph } from '../../../../engine/define/index.ts';
import type { Operation } from '../../../../engine/durable/step/row.ts';
import { sentBy } from '../../../../engine/durable/step/sent.ts';
import { Drive } from '../../../../engine/kit/drive.ts';
import { graphOfList } from '../../../../engine/library/forms/list-of-tasks.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import type { FlatError } from '../../../../engine/vocabulary/errors.ts';
import powerOff from '../../../../tasks/obm-node-power-off.ts';
import { everyTask } from '../../../support/data/catalogue.ts';

const NODE = 'node-1';

function start(taskName = 'Task.Obm.Node.PowerOff', options: Record<string, unknown> = {}): Drive {
  const named = (name: string) => everyTask.find((task) => task.name === name);
  const json = { friendlyName: 'One', injectableName: 'Graph.One', tasks: [{ label: 'it', taskName }] };
  return new Drive(graphOfList(json, { any: named, code: named }, { kind: 'api' }), { defaults: options });
}

const operationOf = ({ open: [operation] }: Drive): Operation => operation as Operation;
const entryOf = ({ row: { tasks } }: Drive) => tasks[0];
const claim = (drive: Drive, by: string, over?: string) =>
  drive.send({ type: 'work.claim', operation: operationOf(drive).id, by, ...(over !== undefined && { over }) });
const send = (drive: Drive, by: string, id: string, command: 'power on' | 'power off' = 'power off') =>
  drive.send({ type: 'command.send', operation: operationOf(drive).id, by, id, node: NODE, command });
const sent = (drive: Drive) =>
  sentBy(drive.row, operationOf(drive), drive.now).map(({ command, done }) => [command, done]);
const fail = (drive: Drive, error: Partial<FlatError> & { code: string }) =>
  drive.send({ type: 'work.failed', operation: operationOf(drive).id, error: { name: 'E', message: 'm', ...error } });

test('a command gets one mark in a task run, whichever attempt or process asks for the second', (t) => {
  const drive = start();
  claim(drive, 'p1');
  t.true(send(drive, 'p1', 'a'));
  t.true(send(drive, 'p1', 'a'), 'the same mark, which may not have been saved');
  t.false(send(drive, 'p1', 'b'));
  t.true(claim(drive, 'p2', 'p1'));
  t.false(send(drive, 'p2', 'c'));
  fail(drive, { code: 'OBM_BUSY' });
  drive.wake();
  t.is(operationOf(drive).attempt, 2);
  claim(drive, 'p2');
  t.false(send(drive, 'p2', 'd'));
  t.deepEqual(sent(drive), [['power off', false]]);
});

test('only the process with the claim may set a mark, and none after a cancel or the end', (t) => {
  const drive = start();
  claim(drive, 'p1');
  claim(drive, 'p2', 'p1');
  t.false(send(drive, 'p1', 'a'));
  const { id: operation } = operationOf(drive);
  drive.send({ type: 'cancel' });
  t.false(drive.send({ type: 'command.send', operation, by: 'p2', id: 'b', node: NODE, command: 'power off' }));
  drive.quiet();
  t.false(drive.send({ type: 'command.send', operation, by: 'p2', id: 'c', node: NODE, command: 'power off' }));
});

test('a process may repeat its claim, which may not have been saved, until another one has it', (t) => {
  const drive = start();
  t.true(claim(drive, 'p1'));
  t.true(claim(drive, 'p1'));
  t.false(claim(drive, 'p2'));
  t.true(claim(drive, 'p2', 'p1'));
  t.false(claim(drive, 'p1'));
  t.is(operationOf(drive).claim, 'p2');
});

test('a mark is removed only by its own id, and then the command may be sent', (t) => {
  const drive = start();
  claim(drive, 'p1');
  send(drive, 'p1', 'a');
  const { id: operation } = operationOf(drive);
  t.false(drive.send({ type: 'command.unsent', operation, id: 'b' }));
  t.true(drive.send({ type: 'command.unsent', operation, id: 'a' }));
  t.false(drive.send({ type: 'command.unsent', operation, id: 'a' }));
  t.true(send(drive, 'p1', 'c'));
});

test('the half of a reboot whose activity has succeeded is done in later attempts; the other half is not', (t) => {
  const drive = start('Task.Obm.Node.Reboot');
  claim(drive, 'p1');
  send(drive, 'p1', 'a');
  drive.done(operationOf(drive), { power: 'off' });
  claim(drive, 'p1');
  send(drive, 'p1', 'b', 'power on');
  fail(drive, { code: 'OBM_BUSY' });
  drive.wake();
  t.deepEqual(sent(drive), [
    ['power off', true],
    ['power on', false],
  ]);
});

test('an activity that a process of an older daemon began may have sent anything', (t) => {
  const drive = start();
  claim(drive, 'old');
  const { marksSent: _, ...old } = operationOf(drive);
  drive.row.operations[old.id] = old;
  t.true(claim(drive, 'p1', 'old'));
  t.false(send(drive, 'p1', 'a'));
  t.false(send(drive, 'p1', 'b', 'power on'));
  t.is(sent(drive).length, 5);
});

test('a task run that times out after a command was sent reports the result of the command as unknown', (t) => {
  for (const isSent of [false, true]) {
    const drive = start('Task.Obm.Node.PowerOff', { _taskTimeout: 5_000 });
    claim(drive, 'p1');
    if (isSent) send(drive, 'p1', 'a');
    drive.wake();
    drive.quiet();
    t.is(entryOf(drive)?.state, 'timeout');
    t.is(entryOf(drive)?.error?.code, isSent ? 'OBM_UNANSWERED' : 'TASK_TIMEOUT');
  }
});

const resting = (drive: Drive, ms: number, more: Partial<FlatError> = {}) =>
  fail(drive, { code: 'OBM_RESTING', backoffUntil: new Date(drive.now + ms).toISOString(), ...more });

test('the wait for a BMC is not an attempt, states its end, and the attempt continues after it', (t) => {
  const drive = start();
  const until = drive.now + 30_000;
  resting(drive, 30_000);
  t.like(entryOf(drive), { state: 'waiting', waitingOn: 'bmc', attempts: 1, maxAttempts: 3 });
  t.is(entryOf(drive)?.nextAttemptAt, new Date(until).toISOString());
  t.is(drive.operations.length, 0);
  drive.wake();
  t.is(drive.now, until);
  t.like(entryOf(drive), { state: 'running', waitingOn: null, nextAttemptAt: null, attempts: 1 });
  t.is(operationOf(drive).attempt, 1);
});

test('an attempt that meets another back-off at once has failed, so that repeated back-offs end the task run', (t) => {
  const drive = start();
  const attempts: number[] = [];
  for (let n = 0; drive.row.status === 'running' && n < 20; n += 1) {
    if (drive.open.length > 0) attempts.push(operationOf(drive).attempt);
    if (drive.open.length > 0) resting(drive, 30_000);
    else drive.wake();
  }
  t.deepEqual(attempts, [1, 1, 2, 2, 3, 3]);
  t.like(entryOf(drive), { state: 'failed', attempts: 3 });
  t.is(entryOf(drive)?.error?.code, 'OBM_RESTING');
  t.deepEqual(
    entryOf(drive)?.attemptErrors?.map(({ attempt, code }) => [attempt, code]),
    [1, 2, 3].map((attempt) => [attempt, 'OBM_RESTING']),
  );
});

test('after a command was sent every back-off is waited for, within the limit of the task run', (t) => {
  const drive = start('Task.Obm.Node.PowerOff', { _taskTimeout: 400_000 });
  claim(drive, 'p1');
  send(drive, 'p1', 'a');
  for (let n = 0; n < 10; n += 1) {
    resting(drive, 30_000, { sent: true });
    t.is(entryOf(drive)?.waitingOn, 'bmc');
    drive.wake();
    t.is(entryOf(drive)?.attempts, 1);
  }
});

test('a back-off that outlasts the task run is not begun, and no attempt follows', (t) => {
  const drive = start('Task.Obm.Node.PowerOff', { _taskTimeout: 20_000 });
  resting(drive, 30_000);
  t.like(entryOf(drive), { state: 'failed', attempts: 1 });
  t.is(entryOf(drive)?.error?.code, 'OBM_RESTING');
});

test('a task run that waits for its BMC is cancelled at once', (t) => {
  const drive = start();
  resting(drive, 30_000);
  drive.send({ type: 'cancel' });
  t.is(drive.row.status, 'cancelled');
  t.deepEqual(drive.row.timers, {});
});

test('a task run of an older daemon, whose context lacks these fields, backs off and continues', (t) => {
  const drive = start();
  const taskRun = drive.row.actors['taskRun:1'];
  if (taskRun === undefined) return t.fail();
  const { retry, timeoutMs, attempt, result } = taskRun.snapshot.context as Record<string, unknown>;
  drive.row.actors['taskRun:1'] = {
    ...taskRun,
    snapshot: { ...taskRun.snapshot, context: { retry, timeoutMs, attempt, result } },
  };
  resting(drive, 30_000);
  t.is(entryOf(drive)?.waitingOn, 'bmc');
  drive.wake();
  drive.done(operationOf(drive), { power: 'off' });
  t.is(drive.row.status, 'succeeded');
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
  const drive = new Drive(graphOf(again, 'hash', () => undefined, { kind: 'api' }));
  fail(drive, { code: 'OBM_BUSY' });
  t.is(entryOf(drive)?.attemptErrors?.length, 1);
  t.like(entryOf(drive), { state: 'waiting', waitingOn: 'retry' });
  t.is(entryOf(drive)?.nextAttemptAt, new Date(drive.now + 2_000).toISOString());
  drive.wake();
  fail(drive, { code: 'OBM_INVALID', retry: false });
  t.like(entryOf(drive), { state: 'running', attempts: 1, nextAttemptAt: null, attemptErrors: [] });
});
