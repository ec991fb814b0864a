/** Graphs and tasks as clients upload and download them: RackHD's list-of-tasks JSON. */
import { Type } from 'typebox';
import { anyObject, nonEmpty, orNull, words } from '../../engine/api-port/schemas.ts';
import type { StateView } from '../../engine/vocabulary/machine-shape.ts';
import { recoveries, waitStates } from '../../engine/vocabulary/states.ts';
import { type WarningCode, warningMeanings } from '../../engine/vocabulary/warning-codes.ts';

/** A graph may define a task inline instead of naming one of the library. */
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

const machineTasks = Type.Record(nonEmpty, nonEmpty, { minProperties: 1 });

/**
 * A list of tasks, or a machine with the task of each `src`. The shape only; the library checks that labels, waits and
 * tasks are consistent.
 */
export const graphRecord = Type.Object(
  {
    friendlyName: nonEmpty,
    injectableName: nonEmpty,
    options: Type.Optional(anyObject),
    machine: Type.Optional({
      ...anyObject,
      // A generator of clients would name it GraphMachine, which is another record.
      title: 'MachineConfiguration',
      description: "a machine instead of a list: the configuration of XState's createMachine, without code",
    }),
    tasks: Type.Optional(
      Type.Unsafe<object>({
        type: ['array', 'object'],
        // OpenAPI wants it of each list.
        items: {},
        description: 'a list of tasks; of a machine: the names of tasks by src, unless each src is one',
      }),
    ),
  },
  {
    title: 'Graph',
    if: { required: ['machine'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: Type.Object({ tasks: Type.Optional(machineTasks) }),
    else: Type.Object({ tasks: Type.Array(graphTask, { minItems: 1 }) }),
  },
);

export const taskRecord = Type.Object({ ...inlineTask.properties }, { title: 'Task' });

/** As returned: a graph that is defined by a machine in a file has no list of tasks. */
export const graphView = Type.Object(
  {
    friendlyName: Type.String(),
    injectableName: Type.String(),
    // A graph that was uploaded may have any value here.
    examples: Type.Optional(
      Type.Unknown({ description: 'of a machine in a file: a list of options of launches, by task label' }),
    ),
  },
  { title: 'GraphDefinition' },
);

/** A file, or a definition put through the API, that could not be loaded. */
export const rejectedDefinition = Type.Object(
  {
    file: Type.String({ description: 'with its line if known; the name of a definition put through the API' }),
    found: Type.String(),
    expected: Type.String(),
    message: Type.String(),
    at: Type.String({ format: 'date-time', description: 'Since when' }),
    served: orNull(Type.String({ description: 'the definition whose last good version is served; null: none is' })),
  },
  { title: 'RejectedDefinition' },
);

export const taskView = Type.Object(
  { friendlyName: Type.String(), injectableName: Type.String(), recovery: words(recoveries) },
  { title: 'TaskDefinition' },
);

export const versionRecord = Type.Object(
  {
    hash: Type.String(),
    createdAt: Type.String({ format: 'date-time', description: 'When it was first served' }),
    file: orNull(Type.String()),
    isCurrent: Type.Boolean({ description: 'A launch by the name runs it' }),
    quarantine: orNull(
      Type.Object(
        { since: Type.String({ format: 'date-time' }), reason: Type.String() },
        { description: 'Its code stopped the daemon: it does not run until it is released' },
      ),
    ),
  },
  { title: 'GraphVersion' },
);

/** `root` and its states have the same form; JSON Schema of the document stops at the first level. */
const stateRecord = Type.Object({
  path: Type.Array(Type.String()),
  type: Type.String(),
  initial: orNull(Type.String()),
  tags: Type.Array(Type.String()),
  invokes: Type.Array(Type.Object({ id: Type.String(), label: Type.String(), taskName: orNull(Type.String()) })),
  transitions: Type.Array(
    Type.Object({ event: Type.String(), targets: Type.Array(Type.String()), guard: orNull(Type.String()) }),
  ),
  states: Type.Array(Type.Unsafe<StateView>({ ...anyObject }), { description: 'of the same form' }),
});

const warningRecord = Type.Object({
  code: words(Object.keys(warningMeanings) as WarningCode[]),
  state: Type.Optional(Type.String()),
  label: Type.Optional(Type.String()),
  path: Type.Optional(Type.String({ description: 'in the definition' })),
  message: Type.String(),
});

export const findingsRecord = Type.Object(
  {
    ok: Type.Boolean({ description: 'A PUT would accept it' }),
    name: orNull(Type.String()),
    errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
    warnings: Type.Array(warningRecord),
    explored: orNull(
      Type.Object({
        configurations: Type.Integer(),
        ends: Type.Integer(),
        succeeded: Type.Integer({ description: 'of the ends' }),
        failed: Type.Integer({ description: 'of the ends' }),
      }),
    ),
  },
  { title: 'GraphFindings' },
);

export const machineRecord = Type.Object(
  {
    graph: Type.String(),
    definitionHash: Type.String(),
    kind: words(['machine', 'list']),
    root: stateRecord,
    tasks: Type.Array(
      Type.Object({ label: Type.String(), taskName: Type.String(), waitsFor: Type.Array(Type.String()) }),
    ),
  },
  { title: 'GraphMachine' },
);
