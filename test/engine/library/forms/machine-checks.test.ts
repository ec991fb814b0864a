/** Whether a machine may end well although some of its invokes fail: `false` must be certain. */
import test from 'ava';
import { type AnyStateMachine, createMachine, fromPromise } from 'xstate';
import { canSucceed } from '../../../../engine/library/forms/machine-checks.ts';

type States = Record<string, object>;
const invoke = (src: string, onDone: string, more: object = {}) => ({ invoke: { id: src, src, onDone, ...more } });
const ends = { done: { type: 'final' }, failed: { type: 'final', tags: ['failed'] } };
const logic = fromPromise(async () => {});

const machine = (initial: string, states: States, more: object = {}): AnyStateMachine =>
  createMachine(
    { id: 'm', initial, states: { ...states, ...ends }, ...more } as object,
    {
      actors: { a: logic, b: logic, c: logic },
    } as object,
  ) as AnyStateMachine;

const survives = (graph: AnyStateMachine, ...failing: string[]) => canSucceed(graph, (src) => failing.includes(src));

test('a step that must succeed is required; a step with a transition on error is not', (t) => {
  const chain = machine('one', { one: invoke('a', 'two'), two: invoke('b', 'done') });
  t.true(survives(chain));
  t.false(survives(chain, 'a'));
  t.false(survives(chain, 'b'));
  const lenient = machine('one', { one: invoke('a', 'two', { onError: 'two' }), two: invoke('b', 'done') });
  t.true(survives(lenient, 'a'));
  t.false(survives(lenient, 'b'));
});

test('a final state that is tagged as failed is not a success', (t) => {
  const graph = machine('one', { one: invoke('a', 'done', { onError: 'failed' }) });
  t.true(survives(graph));
  t.false(survives(graph, 'a'));
});

test('a branch, a timer or a guard around the step makes it optional', (t) => {
  const branch = {
    one: { invoke: { id: 'a', src: 'a', onDone: [{ guard: 'x', target: 'two' }, { target: 'done' }] } },
  };
  t.true(survives(machine('one', { ...branch, two: invoke('b', 'done') }), 'b'));
  t.true(survives(machine('one', { one: { ...invoke('a', 'failed'), after: { 1000: 'done' } } }), 'a'));
  t.true(survives(machine('one', { one: { ...invoke('a', 'failed'), always: { guard: 'x', target: 'done' } } }), 'a'));
});

test('a parallel state ends when all its regions do', (t) => {
  const region = (src: string, more = {}) => ({
    initial: 'on',
    states: { on: invoke(src, 'end', more), end: { type: 'final' } },
  });
  const both = (more: object) =>
    machine('both', {
      both: { type: 'parallel', states: { left: region('a'), right: region('b', more) }, onDone: 'last' },
      last: invoke('c', 'done'),
    });
  t.true(survives(both({})));
  t.false(survives(both({}), 'a'));
  t.false(survives(both({}), 'b'));
  t.true(survives(both({ onError: 'end' }), 'b'));
  t.false(survives(both({ onError: 'end' }), 'c'));
});
