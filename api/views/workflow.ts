/** The API records of a workflow and its history. */
import { Type } from 'typebox';
import type { TaskEntry, WorkflowRow } from '../../engine/api-port/index.ts';
import { anyObject, orNull, time, words } from '../../engine/api-port/schemas.ts';
import { ticketGrant } from '../../engine/api-port/tickets.ts';
import { causeKinds, launchedBy } from '../../engine/vocabulary/cause.ts';
import { taskStates, type WaitingOn, waitingOns, workflowStatuses } from '../../engine/vocabulary/states.ts';
import { traceIdOf } from '../../engine/vocabulary/traceparent.ts';
import { mayLaunch } from '../http/rights.ts';
import type { Identity } from '../http/route.ts';
import { projection } from './projection.ts';

const flatError = Type.Object({
  name: Type.String(),
  message: Type.String(),
  code: Type.String(),
  compensations: Type.Optional(
    Type.Array(Type.Object({ label: Type.String(), code: Type.String(), message: Type.String() }), {
      description: 'Of a workflow: its compensations that did not succeed',
    }),
  ),
});

const progressRecord = Type.Object({
  value: Type.Number(),
  maximum: Type.Number(),
  percentage: Type.String(),
  description: Type.String(),
});

const taskEntry = Type.Object({
  label: Type.String(),
  taskName: Type.String(),
  instanceId: Type.String(),
  state: words(taskStates),
  attempts: Type.Integer(),
  startedAt: orNull(time),
  finishedAt: orNull(time),
  output: Type.Unknown(),
  error: orNull(flatError),
  waitingOn: orNull(
    Type.Unsafe<WaitingOn>({
      ...words(waitingOns),
      description: '`bmc`: the BMC does not answer and its circuit is open; the task run resumes at `nextAttemptAt`',
    }),
  ),
  dueAt: orNull(
    Type.String({ format: 'date-time', description: 'When the wait ends by itself; null: it has no limit' }),
  ),
  progress: orNull(progressRecord),
  callback: orNull(
    Type.String({
      description:
        'URL that completes this task once, during or before its wait for a notification; `REDACTED` for users who may not start workflows',
    }),
  ),
  nextAttemptAt: orNull(time),
  maxAttempts: Type.Integer(),
  attemptErrors: Type.Array(
    Type.Object({ attempt: Type.Integer(), at: time, code: Type.String(), message: Type.String() }),
    { description: 'The newest ten failed attempts, oldest first' },
  ),
  compensates: Type.Optional(
    Type.String({ description: 'Of a compensation: the label whose task it undoes if the workflow does not succeed' }),
  ),
});

const overriddenHold = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  reason: Type.String(),
  createdBy: orNull(Type.String()),
});

export const workflowRecord = Type.Object(
  {
    id: Type.String(),
    instanceId: Type.String(),
    injectableName: Type.String(),
    name: Type.String(),
    definition: Type.String({ description: 'The path of the graph in the library' }),
    definitionHash: Type.String(),
    node: orNull(Type.String()),
    owner: Type.Optional(
      Type.String({ description: 'The team that its node belonged to at the launch; absent: none' }),
    ),
    domain: Type.String(),
    status: words(workflowStatuses),
    _status: words(workflowStatuses),
    options: anyObject,
    context: Type.Unknown(),
    tasks: Type.Array(taskEntry),
    progress: progressRecord,
    error: orNull(flatError),
    value: Type.Unknown({ description: "The state value of the graph's machine; null before its first step" }),
    launchedBy: orNull(Type.String({ description: 'A user, `parent`, `discovery`; null: unknown' })),
    parent: orNull(Type.String({ description: 'The workflow that launched it as its child' })),
    parentLabel: orNull(
      Type.String({
        description: 'The label of the task of `parent` that runs it; null: it is not a child, or not known',
      }),
    ),
    root: orNull(Type.String({ description: 'Of a child: the workflow at the top, by which lists find all below it' })),
    rollout: orNull(
      Type.Object({ id: Type.String(), phase: Type.Integer() }, { description: 'The rollout that launched it' }),
    ),
    batch: orNull(Type.String({ description: 'The batch that launched it' })),
    rule: orNull(Type.String({ description: 'The rule that launched it' })),
    retryOf: orNull(Type.String({ description: 'The workflow that it repeats' })),
    traceId: orNull(Type.String({ description: 'The id of its trace' })),
    acknowledged: Type.Array(Type.String(), {
      description: 'The `once` tasks that a user allowed to run again although they may have taken effect',
    }),
    override: orNull(
      Type.Object(
        { by: orNull(Type.String()), reason: Type.String(), holds: Type.Array(overriddenHold) },
        { description: 'The holds of the node that its launch overrode; null: none' },
      ),
    ),
    ticket: orNull(ticketGrant),
    dueAt: orNull(
      Type.String({ format: 'date-time', description: 'The earliest end of its waits; null: without a limit' }),
    ),
    waiting: orNull(
      Type.Object(
        {
          label: orNull(Type.String({ description: 'null: the graph itself waits' })),
          waitingOn: words(waitingOns),
          since: time,
          isForAgent: Type.Boolean({ description: 'Only the agent of the node can end it' }),
        },
        { description: 'Its wait, of several the one that ends first; null: a task runs, or it has ended' },
      ),
    ),
    paused: orNull(
      Type.Object(
        { by: orNull(Type.String()), at: time },
        { description: 'The user who paused it, and when; null: it is not paused' },
      ),
    ),
    createdAt: time,
    startedAt: orNull(time),
    finishedAt: orNull(time),
    updatedAt: time,
  },
  { title: 'Workflow' },
);

export const historyRecord = Type.Object(
  {
    version: Type.Integer(),
    at: time,
    event: Type.String(),
    label: Type.Optional(Type.String()),
    from: Type.Unknown({ description: 'a state value' }),
    to: Type.Unknown({ description: 'a state value' }),
    attempt: Type.Optional(
      Type.Integer({ description: 'Of a task: absent for its first attempt, unless that failed' }),
    ),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    override: Type.Optional(
      Type.Object(
        { reason: Type.String(), holds: Type.Array(overriddenHold) },
        { description: 'Of a launch: the holds that it overrode' },
      ),
    ),
    by: Type.Optional(Type.String({ description: 'The user who asked for it' })),
    cause: Type.Optional(
      Type.Object({ kind: words(causeKinds), ref: orNull(Type.String()) }, { description: 'The cause of the step' }),
    ),
  },
  { title: 'HistoryEntry' },
);

export const workflowPath = (id: string): string => `/api/2.0/workflows/${encodeURIComponent(id)}`;
export const graphPath = (name: string): string => `/api/2.0/workflows/graphs/${encodeURIComponent(name)}`;
export const taskPath = (name: string): string => `/api/2.0/workflows/tasks/${encodeURIComponent(name)}`;

const taskView = projection(taskEntry, {
  output: ({ output }: TaskEntry) => output ?? null,
  dueAt: ({ dueAt }: TaskEntry) => dueAt ?? null,
  progress: ({ progress }: TaskEntry) => progress ?? null,
  callback: ({ callback }: TaskEntry, launches: boolean) =>
    callback === undefined ? null : launches ? callback : 'REDACTED',
  nextAttemptAt: ({ nextAttemptAt }: TaskEntry) => nextAttemptAt ?? null,
  maxAttempts: ({ maxAttempts = 1 }: TaskEntry) => maxAttempts,
  attemptErrors: ({ attemptErrors = [] }: TaskEntry) => attemptErrors,
});

/** With the requesting user. */
export const workflowView = projection(workflowRecord, {
  instanceId: ({ id }: WorkflowRow) => id,
  injectableName: ({ graphName }: WorkflowRow) => graphName,
  definition: ({ graphName }: WorkflowRow) => graphPath(graphName),
  _status: ({ status }: WorkflowRow) => status,
  value: ({ actors }: WorkflowRow) => actors.graph?.snapshot.value ?? null,
  launchedBy: (row: WorkflowRow) => launchedBy(row),
  parent: ({ parent }: WorkflowRow) => parent?.workflow ?? null,
  parentLabel: ({ parent }: WorkflowRow) => parent?.label ?? null,
  root: ({ root }: WorkflowRow) => root ?? null,
  rollout: ({ rollout: id, rolloutPhase: phase = 0 }: WorkflowRow) => (id === undefined ? null : { id, phase }),
  batch: ({ batch }: WorkflowRow) => batch ?? null,
  rule: ({ rule }: WorkflowRow) => rule ?? null,
  retryOf: ({ retryOf }: WorkflowRow) => retryOf ?? null,
  traceId: (row: WorkflowRow) => traceIdOf(row),
  acknowledged: ({ acknowledged }: WorkflowRow) => acknowledged ?? [],
  override: ({ override }: WorkflowRow) => override ?? null,
  ticket: ({ ticket }: WorkflowRow) => ticket ?? null,
  dueAt: ({ dueAt }: WorkflowRow) => dueAt ?? null,
  waiting: ({ waiting }: WorkflowRow) => waiting ?? null,
  paused: ({ paused }: WorkflowRow) => paused ?? null,
  context: ({ actors }: WorkflowRow) => actors.graph?.snapshot.context ?? {},
  tasks: ({ tasks }: WorkflowRow, identity: Identity | undefined) => {
    const launches = mayLaunch(identity?.privileges);
    return tasks.map((entry) => taskView(entry, launches));
  },
});

export const historyView = projection(historyRecord);
