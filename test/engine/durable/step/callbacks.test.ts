/** Nonces of callbacks, by pure steps: the task run of a nonce, and its validity. */
import test from 'ava';
import { assign } from 'xstate';
import { defineGraph, FAILED } from '../../../../engine/define/index.ts';
import { callbacksOf, isOver, nonceOf, placeOf, receiversOf } from '../../../../engine/durable/step/callbacks.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { graphOfList } from '../../../../engine/library/forms/list-of-tasks.ts';
import { graphOf } from '../../../../engine/library/forms/machine.ts';
import type { Graph } from '../../../../engine/library/types.ts';
import { parseNonce, withoutNonces } from '../../../../engine/vocabulary/callback.ts';
import waitNotification from '../../../../tasks/wait-notification.ts';
import { everyGraph, everyTask } from '../../../support/data/catalogue.ts';

const named = (name: string) => everyTask.find((task) => task.name === name);
const list = (tasks: object[]): Graph =>
  graphOfList(
    { friendlyName: 'List', injectableName: 'Graph.Test.List', tasks },
    { any: named, code: named },
    { kind: 'api' },
  );
const install = everyGraph.find(({ name }) => name === 'Graph.Demo.InstallOs') as Graph;

/** The same label, repeatedly. */
const rounds = defineGraph(
  { injectableName: 'Graph.Test.Rounds', friendlyName: 'Rounds', tasks: { wait: waitNotification } },
  {} as { context: { n: number } },
);
const machine = rounds.createMachine({
  id: 'Graph.Test.Rounds',
  context: { n: 0 },
  initial: 'waiting',
  states: {
    waiting: {
      after: { 60000: { target: 'waiting', reenter: true } },
      invoke: {
        src: 'wait',
        onDone: { target: 'waiting', reenter: true, actions: assign({ n: ({ context }) => context.n + 1 }) },
        onError: 'failed',
      },
    },
    failed: { type: 'final', tags: [FAILED] },
  },
});
const loop = graphOf(machine, 'rounds', named, { kind: 'api' });

const has = (run: Run, label: string): string => nonceOf(run.row, label) as string;
const options = (run: Run, label: string) =>
  Object.values(run.row.actors).find((actor) => actor.label === label && actor.options !== undefined)?.options;

test('a nonce is for one task run of one label, and every process derives the same nonce', (t) => {
  const run = new Run(install);
  const [installed, booted] = [has(run, 'wait-os-installed'), has(run, 'wait-os-booted')];
  t.not(installed, booted);
  t.is(nonceOf(JSON.parse(JSON.stringify(run.row)), 'wait-os-installed'), installed);
  t.deepEqual(placeOf(run.row, installed), { workflow: run.row.id, label: 'wait-os-installed', visit: 1 });
  t.not(has(new Run(install), 'wait-os-installed').split('.').at(-1), installed.split('.').at(-1));
});

test('a nonce that was changed in any part, or is of another workflow, is not valid', (t) => {
  const run = new Run(install);
  const nonce = has(run, 'wait-os-installed');
  const [prefix, workflow, index, visit, mac = ''] = nonce.split('.');
  const other = [
    [prefix, workflow, '1', visit, mac],
    [prefix, workflow, index, '2', mac],
    [prefix, workflow, '9', visit, mac],
    [prefix, 'x', index, visit, mac],
    [prefix, workflow, index, visit, `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`],
  ];
  for (const parts of other) t.is(placeOf(run.row, parts.join('.')), undefined, parts.join('.'));
  t.is(placeOf(new Run(install).row, nonce), undefined);
  for (const text of ['', 'x', `${nonce}A`, nonce.slice(1), ` ${nonce}`]) t.is(parseNonce(text), undefined, text);
});

test('the nonce of a label changes when its task run has ended, and when the graph has left it', (t) => {
  const run = new Run(loop);
  const first = has(run, 'wait');
  run.done(run.openOperations[0] as (typeof run.openOperations)[0]);
  const second = has(run, 'wait');
  run.fireTimer();
  const third = has(run, 'wait');
  t.is(new Set([first, second, third]).size, 3);
  const places = [first, second, third].map((nonce) => placeOf(run.row, nonce));
  t.deepEqual(
    places.map((place) => place?.visit),
    [1, 2, 3],
  );
  t.deepEqual(
    places.map((place) => place && isOver(run.row, place)),
    [true, true, false],
  );
  t.deepEqual(
    receiversOf(run.row).map(({ label, visit }) => [label, visit]),
    [['wait', 3]],
  );
});

test('a task has its own callback in its options, and those of other labels before they begin', (t) => {
  const graph = list([
    { label: 'first', taskName: 'Task.Linux.Commands', optionOverrides: { commands: 'x {{ task.callback }}' } },
    { label: 'wait', taskName: 'Task.Wait.Notification' },
  ]);
  const run = new Run(graph);
  const url = `http://127.0.0.1:9080/api/current/notification/callback?nonce=${has(run, 'wait')}`;
  t.deepEqual(options(run, 'first')?.commands, `x ${url}`, 'the callback of the only task that takes notifications');
  const two = list([
    { label: 'run', taskName: 'Task.Linux.Commands', optionOverrides: { commands: '{{ task.callbacks.b }}' } },
    { label: 'a', taskName: 'Task.Wait.Notification' },
    { label: 'b', taskName: 'Task.Wait.Notification', waitOn: { a: 'succeeded' } },
  ]);
  const later = new Run(two);
  t.true(String(options(later, 'run')?.commands).endsWith(has(later, 'b')));
  later.done(later.openOperations.find(({ kind }) => kind === 'notification') as (typeof later.openOperations)[0]);
  t.true(String(options(later, 'run')?.commands).endsWith(has(later, 'b')), 'even if that task run has begun');
});

test('a task that takes no notifications, beside several that do, must name the label of the callback', (t) => {
  const commands = {
    label: 'run',
    taskName: 'Task.Linux.Commands',
    optionOverrides: { commands: '{{ task.callback }}' },
  };
  const waits = ['a', 'b'].map((label) => ({ label, taskName: 'Task.Wait.Notification' }));
  const run = new Run(list([commands, ...waits]));
  t.like(run.row.tasks[0], { state: 'failed', error: { code: 'TEMPLATE_VALUE_MISSING' } });
  const alone = new Run(list([commands]));
  t.true(String(options(alone, 'run')?.commands).endsWith(has(alone, 'run')), 'its own, where no other does');
});

test('callbackOnly and the label of a wait are sent to the node actor', (t) => {
  const run = new Run(
    list([{ label: 'wait', taskName: 'Task.Wait.Notification', optionOverrides: { callbackOnly: true } }]),
  );
  const [message] = run.effects.flatMap((effect) => (effect.kind === 'send-to-node' ? [effect.message] : []));
  t.deepEqual(message, {
    type: 'await',
    receiver: `${run.row.id}/w1`,
    label: 'wait',
    visit: 1,
    callbackOnly: true,
  } as typeof message);
});

test('the first of several workflows with a label provides its callback, and two open waits give no open callback', (t) => {
  const [parent, child] = [new Run(install), new Run(install)];
  const both = callbacksOf([parent.row, child.row]);
  t.is(both.all['wait-os-booted'], has(parent, 'wait-os-booted'));
  t.is(both.open, null);
  t.is(callbacksOf([parent.row]).open, has(parent, 'wait-os-installed'));
});

test('a text is shown without nonces, in any encoding', (t) => {
  const run = new Run(install);
  const nonce = has(run, 'wait-os-installed');
  const text = `a ${nonce} b%3Fnonce%3D${nonce}&c "${nonce}"`;
  t.is(withoutNonces(text), 'a REDACTED b%3Fnonce%3DREDACTED&c "REDACTED"');
  t.is(withoutNonces('nwcb. is no nonce'), 'nwcb. is no nonce');
});
