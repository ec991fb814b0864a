/** The pure step beside XState's own `initialTransition` and `transition`. */
import test from 'ava';
import { type AnyMachineSnapshot, fromPromise, initialTransition, setup, transition } from 'xstate';
import { type Action, beginMachine, move } from '../../../../engine/durable/step/pure.ts';

const machine = setup({
  types: {} as { context: { rounds: number } },
  actors: { act: fromPromise<unknown, { round: number }>(async () => {}) },
}).createMachine({
  context: { rounds: 0 },
  initial: 'acting',
  states: {
    acting: {
      invoke: {
        id: 'one',
        systemId: 'act',
        src: 'act',
        input: ({ context }) => ({ round: context.rounds }),
        onDone: 'resting',
        onError: 'failed',
      },
      after: { 60000: 'failed' },
    },
    resting: { after: { 1000: { target: 'acting' } }, on: { stop: 'stopped' } },
    stopped: { type: 'final' },
    failed: { type: 'final' },
  },
  output: { ended: true },
});

const events = [
  { type: 'xstate.done.actor.one', output: 1 },
  { type: 'xstate.after.1000.(machine).resting' },
  { type: 'nothing' },
  { type: 'xstate.done.actor.one', output: 2 },
  { type: 'stop' },
];

const shown = ([{ value, context, status, output }, actions]: [AnyMachineSnapshot, readonly Action[]]) => ({
  value,
  context,
  status,
  output,
  actions: actions.map(({ type, params }) => {
    const { id, src, input, delay, sendId } = (params ?? {}) as Record<string, unknown>;
    return { type, id, src, input, delay, sendId };
  }),
});

test('a step has the states and actions of XState, and an author may name a child for the system', (t) => {
  let ours = beginMachine(machine, undefined);
  let theirs = initialTransition(machine) as [AnyMachineSnapshot, Action[]];
  t.deepEqual(shown(ours), shown(theirs));
  for (const event of events) {
    ours = move(machine, ours[0], event);
    theirs = transition(machine, theirs[0] as never, event as never) as [AnyMachineSnapshot, Action[]];
    t.deepEqual(shown(ours), shown(theirs), event.type);
  }
  t.is(ours[0].status, 'done');
});
