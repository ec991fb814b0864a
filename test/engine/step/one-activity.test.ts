/** The logic of a task with one activity beside its machine, which is its meaning. */
import test from 'ava';
import fc from 'fast-check';
import type { Stepped } from '../../../engine/step/logic.ts';
import { oneActivityLogic } from '../../../engine/step/one-activity.ts';
import { interpreted, logicOf } from '../../../engine/step/stepper.ts';
import { everyTask } from '../../support/catalogue.ts';

const short = everyTask.flatMap(({ name, machine }) => {
  const logic = oneActivityLogic(machine);
  return logic === undefined ? [] : [{ name, machine, logic }];
});

const shown = ({ snapshot, actions, isOver, ending }: Stepped, id: string) => {
  // The interpreter computes stopped children itself.
  const applied = actions.filter(({ type }) => type !== 'xstate.stopChild');
  const spawned = applied.map(({ type, params }) => {
    const { id, src, input } = params as Record<string, unknown>;
    return { type, id, src, input };
  });
  const tags = ending !== undefined && 'tags' in ending ? [...ending.tags] : [];
  return { ...snapshot, spawned, isOver: isOver(id), ending: ending && { ...ending, tags } };
};

const value = fc.oneof(fc.constant(null), fc.integer(), fc.string(), fc.dictionary(fc.string(), fc.integer()));

test('a task with one activity steps as its machine does, under any events', (t) => {
  t.true(short.length > 10, `${short.length} tasks`);
  for (const { name, machine, logic } of short) {
    t.is(String(logicOf(machine).next), String(logic.next), 'it is the logic that the engine uses');
    const theirs = interpreted(machine);
    const id = machine.root.states.running?.invoke[0]?.id as string;
    const event = fc.record({
      type: fc.constantFrom(`xstate.done.actor.${id}`, `xstate.error.actor.${id}`, 'xstate.done.actor.x', 'cancel'),
      output: value,
      error: value,
    });
    fc.assert(
      fc.property(value, fc.array(event, { maxLength: 3 }), (options, events) => {
        const input = { options, nodeId: 'n', workflowId: 'w' };
        const [ours, other] = [logic.begin(input), theirs.begin(input)];
        t.deepEqual(shown(ours, id), shown(other, id), name);
        let before = other.snapshot;
        for (const each of events) {
          const [our, their] = [logic.next(before, each), theirs.next(before, each)];
          t.deepEqual(shown(our, id), shown(their, id), `${name} ${JSON.stringify(each)}`);
          if (their.ending !== undefined) return;
          before = their.snapshot;
        }
      }),
      { numRuns: 30 },
    );
  }
});
