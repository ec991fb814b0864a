/** Guards and delays that a machine names and nothing defines. */
import test from 'ava';
import { type AnyStateMachine, and, createMachine, not, or, raise, stateIn } from 'xstate';
import { checkReferences } from '../../../../engine/library/forms/machine-names.ts';
import type { Rejection } from '../../../../engine/library/options/rejection.ts';

const isReady = () => true;
const machine = (state: object, implementations: object = { guards: { isReady }, delays: { short: 5 } }) =>
  createMachine(
    { id: 'Graph.M', initial: 'a', states: { a: state, z: { type: 'final' } } } as object,
    implementations as object,
  ) as AnyStateMachine;

for (const [what, state, found] of [
  ['a guard', { always: { guard: 'isRaedy', target: 'z' } }, "guard 'isRaedy' in state Graph.M.a"],
  ['a guard with params', { on: { x: { guard: { type: 'other' }, target: 'z' } } }, "guard 'other' in state Graph.M.a"],
  ['a guard in others', { always: { guard: and([isReady, or([not('other')])]), target: 'z' } }, "guard 'other'"],
  ['the delay of a timer', { after: { shrt: 'z' } }, "delay 'shrt' in state Graph.M.a"],
  [
    'the delay of an event',
    { entry: raise({ type: 'x' }, { delay: 'other' as never }) },
    "delay 'other' in state Graph.M.a",
  ],
] as const) {
  test(`${what} that does not exist is rejected with its state, and what there is`, (t) => {
    const error = t.throws<Rejection>(() => checkReferences(machine(state), 'a graph'));
    t.true(error?.message.includes(`${found}`), error?.message);
    t.regex(error?.message ?? '', /which does not exist; expected .*: (isReady|short)/);
    t.is(error?.place, 'states.a');
    t.throws(() => checkReferences(machine(state, {}), 'a graph'), { message: /expected a (function|time)[^:]*$/ });
  });
}

test('a name that is nearly that of a guard or delay gets it proposed', (t) => {
  const typo = { after: { shrt: 'z' }, always: { guard: 'isRedy', target: 'z' } };
  const error = t.throws<Rejection>(() => checkReferences(machine(typo), 'a graph'));
  t.deepEqual(error?.violations?.length, 2);
  t.regex(error?.message ?? '', /did you mean 'isReady'.*did you mean 'short'/);
});

test('functions, numbers and names that exist are accepted', (t) => {
  const guards = ['isReady', { type: 'isReady' }, isReady, not('isReady'), and([stateIn('a'), 'isReady'])];
  for (const guard of guards)
    t.notThrows(() => checkReferences(machine({ always: { guard, target: 'z' } }), 'a graph'));
  const raised = raise({ type: 'x' }, { delay: () => 5 });
  t.notThrows(() => checkReferences(machine({ entry: raised, after: { 500: 'z', short: 'z' } }), 'a task'));
});
