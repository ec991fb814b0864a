/** Properties over every built-in task and every fixture, each alone in a graph. */
import test from 'ava';
import { takesTime } from '../../../../engine/durable/step/operations.ts';
import { requiredOf } from '../../../../engine/kit/launch-samples.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { watchStates } from '../../../../engine/kit/visited-states.ts';
import { graphOfList } from '../../../../engine/library/forms/list-of-tasks.ts';
import type { Task } from '../../../../engine/library/types.ts';
import { isActive, type WorkflowStatus } from '../../../../engine/vocabulary/states.ts';
import { everyTask } from '../../../support/data/catalogue.ts';

function start(task: Task, options: Record<string, unknown> = {}): Run {
  const named = (name: string) => (name === task.name ? task : undefined);
  const json = { friendlyName: 'One', injectableName: 'Graph.One', tasks: [{ label: 'it', taskName: task.name }] };
  const graph = graphOfList(json, { any: named, code: named }, { kind: 'api' });
  return new Run(graph, { it: { ...requiredOf(task), ...options } });
}

const entry = (run: Run) => run.row.tasks[0];

function succeed(run: Run): void {
  for (let n = 0; isActive(run.row.status) && n < 20; n += 1) {
    const [operation] = run.operations;
    if (operation === undefined) run.fireTimer();
    else run.done(operation, { workflowId: 'w', output: null });
  }
}

/** Answers of operations that tasks tell apart: most do not. */
const outputs = [
  { workflowId: 'w', output: null },
  { again: true },
  { next: 'look', again: true },
  { job: {} },
  { status: 'fail' },
  { graphName: 'Graph.noop-example' },
];

/** Options that lead to other states. */
const ways: Record<string, readonly Record<string, unknown>[]> = { 'Task.Bmc.CreateAccount': [{}, { by: 'redfish' }] };

/** Tasks that go on without what fails, unless all does: the status after each failure. */
const skipping: Record<string, readonly WorkflowStatus[]> = {
  'Task.BurnIn.Conclude': ['running', 'failed'],
  'Task.Catalog.Ipmi': ['running', 'running', 'running', 'running', 'failed'],
  'Task.Catalog.Network': ['running', 'failed'],
  'Task.Catalog.Pci': ['running', 'failed'],
};

/** Runs the task once for each of its operations, which fails, and the next one too if `times` is 2. */
function explore(task: Task, times: number, output: object, options: Record<string, unknown>): void {
  let hasFailed = true;
  for (let from = 0; hasFailed && from < 20; from += 1) {
    const run = start(task, options);
    hasFailed = false;
    for (let n = 0; isActive(run.row.status) && n < 40; n += 1) {
      const [operation] = run.operations;
      hasFailed ||= n >= from && n < from + times;
      if (operation === undefined) run.fireTimer();
      else if (n >= from && n < from + times) run.fail(operation, 'COMMAND_FAILED');
      else run.done(operation, output);
    }
  }
}

for (const task of everyTask) {
  test(`${task.name}: every state of its machine is reached`, (t) => {
    const unreached = watchStates(task.machine);
    for (const times of [0, 1, 2]) {
      for (const output of outputs)
        for (const options of ways[task.name] ?? [{}])
          if (unreached().length > 0) explore(task, times, output, options);
    }
    t.deepEqual(unreached(), []);
  });

  test(`${task.name}: it ends succeeded when its operation succeeds, and so does its workflow`, (t) => {
    const run = start(task);
    succeed(run);
    t.is(run.row.status, 'succeeded');
    t.is(entry(run)?.state, 'succeeded');
  });

  test(`${task.name}: it ends failed, with the error of its operation, when that fails for good`, (t) => {
    const run = start(task);
    if (run.operations.length === 0) return t.is(task.name, 'Task.Sleep');
    const error = { name: 'E', message: 'm', code: 'C', retry: false as const };
    for (const wanted of skipping[task.name] ?? (['failed'] as const)) {
      const [operation] = run.operations;
      t.truthy(operation);
      run.send({ type: 'work.failed', operation: operation?.id ?? '', error });
      t.is(run.row.status, wanted);
    }
    t.is(entry(run)?.state, 'failed');
    t.like(entry(run)?.error, { code: 'C', message: 'm' });
    t.is(run.row.status, 'failed');
  });

  test(`${task.name}: it ends cancelled when its operation has stopped after a cancel, and not before`, (t) => {
    const run = start(task);
    const stops = run.operations.some(takesTime);
    run.send({ type: 'cancel' });
    t.is(run.row.status, stops ? 'running' : 'cancelled');
    t.is(run.openOperations.length, 0);
    run.endAborted();
    t.is(entry(run)?.state, 'cancelled');
    t.is(run.row.status, 'cancelled');
  });

  test(`${task.name}: an operation that does not stop is abandoned after its grace period, and the task run reports it`, (t) => {
    const run = start(task);
    if (!run.operations.some(takesTime)) return t.pass();
    run.send({ type: 'cancel' });
    // A child workflow may compensate what it did, and its end is always reported.
    if (run.operations.some(({ kind }) => kind === 'graph')) {
      for (let n = 0; n < 3; n += 1) t.true(run.fireTimer());
      t.is(run.row.status, 'running');
      run.endAborted();
      return t.is(run.row.status, 'cancelled');
    }
    while (isActive(run.row.status)) t.true(run.fireTimer());
    t.is(entry(run)?.state, 'cancelled');
    t.is(entry(run)?.error?.code, 'TASK_ABANDONED');
  });

  test(`${task.name}: its timeout ends it as timeout, and 0 or -1 disables the timeout`, (t) => {
    const run = start(task, { _taskTimeout: 500 });
    run.fireTimer();
    run.endAborted();
    t.is(entry(run)?.state, 'timeout');
    t.is(run.row.error?.code, 'TASK_TIMEOUT');
    for (const none of [0, -1]) {
      const timers = Object.keys(start(task, { _taskTimeout: none }).row.timers);
      t.false(timers.some((timer) => timer.includes('timeout')));
    }
  });

  test(`${task.name}: every option is described or plain, and its definition shows its recovery`, (t) => {
    t.is(task.definition.recovery, task.recovery);
    t.regex(task.name, /^Task\.[A-Za-z.]+$/);
    t.truthy(task.friendlyName);
    t.notThrows(() => JSON.stringify(task.definition));
  });
}
