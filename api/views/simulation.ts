/** The API record of a simulated workflow after some moves. */
import { Type } from 'typebox';
import { orNull, words } from '../../engine/api-port/schemas.ts';
import { taskStates, waitingOns, workflowStatuses } from '../../engine/vocabulary/states.ts';

const flatError = Type.Object({ name: Type.String(), message: Type.String(), code: Type.String() });
const reason = Type.Object({ code: Type.String(), message: Type.String() });
const ms = Type.Number({ description: 'ms since the launch' });

const playedTask = Type.Object({
  label: Type.String(),
  taskName: Type.String(),
  state: words(taskStates),
  attempts: Type.Integer(),
  maxAttempts: Type.Integer(),
  waitingOn: orNull(words(waitingOns)),
  output: Type.Unknown(),
  error: orNull(flatError),
});

const playedLine = Type.Object({
  atMs: ms,
  event: Type.String(),
  label: Type.Optional(Type.String()),
  from: Type.Unknown({ description: 'a state value' }),
  to: Type.Unknown({ description: 'a state value' }),
  attempt: Type.Optional(Type.Integer()),
  error: Type.Optional(reason),
});

export const simulationRecord = Type.Object(
  {
    graph: Type.String(),
    definitionHash: Type.String(),
    status: words(workflowStatuses),
    value: Type.Unknown({ description: "The state value of the graph's machine" }),
    output: Type.Unknown(),
    error: orNull(flatError),
    elapsedMs: ms,
    tasks: Type.Array(playedTask),
    open: Type.Array(
      Type.Object({
        label: Type.String(),
        kind: words(['activity', 'command', 'graph', 'notification', 'release']),
        attempt: Type.Integer(),
        output: Type.Unknown({ description: 'of a move that gives none' }),
      }),
      { description: 'Calls and waits whose end the next moves choose' },
    ),
    timers: Type.Array(Type.Object({ label: orNull(Type.String()), about: Type.String(), atMs: ms })),
    trace: Type.Array(Type.String(), { description: 'The latest lines' }),
    history: Type.Array(playedLine, { description: 'The latest entries' }),
    made: Type.Integer({ description: 'Moves that were made' }),
    stopped: orNull({ ...reason, description: 'Why the next move was not made; null: all were' }),
  },
  { title: 'Simulation' },
);
