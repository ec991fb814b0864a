/** Graphs and tasks as clients put them and get them back: the list-of-tasks JSON of the field. */
import { Type } from 'typebox';
import { recoveries, waitStates } from '../../engine/define/states.ts';
import { anyObject, nonEmpty, words } from './common.ts';

/** A graph may bring a task of its own in place of a name from the library. */
const inlineTask = Type.Object({
  friendlyName: nonEmpty,
  injectableName: nonEmpty,
  implementsTask: nonEmpty,
  options: Type.Optional(anyObject),
  properties: Type.Optional(anyObject),
  optionsSchema: Type.Optional(Type.Union([Type.String(), anyObject])),
});

const waitState = words(waitStates);

const graphTask = Type.Object({
  label: nonEmpty,
  taskName: Type.Optional(nonEmpty),
  taskDefinition: Type.Optional(inlineTask),
  waitOn: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Union([waitState, Type.Array(waitState), Type.Record(Type.String(), Type.Unknown())]),
    ),
  ),
  ignoreFailure: Type.Optional(Type.Boolean()),
  optionOverrides: Type.Optional(anyObject),
});

/** The shape; whether labels, waits and tasks fit together is the library's to say. */
export const graphRecord = Type.Object(
  {
    friendlyName: nonEmpty,
    injectableName: nonEmpty,
    options: Type.Optional(anyObject),
    tasks: Type.Array(graphTask, { minItems: 1 }),
  },
  { title: 'Graph' },
);

export const taskRecord = Type.Object({ ...inlineTask.properties }, { title: 'Task' });

/** As it is answered: one that stands in a file of machines has no list of tasks to show. */
export const graphView = Type.Object(
  { friendlyName: Type.String(), injectableName: Type.String() },
  { title: 'GraphDefinition' },
);

export const taskView = Type.Object(
  { friendlyName: Type.String(), injectableName: Type.String(), recovery: words(recoveries) },
  { title: 'TaskDefinition' },
);
