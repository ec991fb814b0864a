/**
 * The machine of most tasks (`oneActivity` in `define/task.ts`), stepped without XState, which takes twenty times as
 * long: it begins one activity, and ends as the activity does. The machine remains the meaning of it.
 */
import type { AnyStateMachine, EventObject } from 'xstate';
import { objectIn, property } from '../define/json.ts';
import { ONE_ACTIVITY } from '../define/task.ts';
import type { Logic, Stepped } from './logic.ts';

const none: ReadonlySet<string> = new Set();
const always = () => true;
const never = () => false;

/** @returns undefined for any other machine */
export function oneActivityLogic({ root }: AnyStateMachine): Logic | undefined {
  const [invoke] = root.states.running?.invoke ?? [];
  if (property(root.meta, 'kind') !== ONE_ACTIVITY || invoke === undefined) return undefined;
  const { id, src } = invoke;
  return {
    begin: (input) => ({
      snapshot: { value: 'running', context: input },
      actions: [{ type: 'xstate.spawnChild', params: { id, src, input: property(input, 'options') } }],
      isOver: never,
    }),
    next({ value, context }, event): Stepped {
      if (event.type === `xstate.done.actor.${id}`) return done(context, event);
      const snapshot = { value, context };
      if (event.type !== `xstate.error.actor.${id}`) return { snapshot, actions: [], isOver: never };
      return { snapshot, actions: [], isOver: always, ending: { error: property(event, 'error') } };
    },
  };
}

function done(context: unknown, event: EventObject): Stepped {
  const output = property(event, 'output');
  const snapshot = { value: 'done', context: { ...objectIn(context), output } };
  return { snapshot, actions: [], isOver: always, ending: { output, tags: none, value: 'done' } };
}
