/** The port of the API to the diagnosis: why workflows do not continue, and how much there is of everything. */
import { type Static, Type } from 'typebox';
import {
  type RolloutWaitReason,
  rolloutWaitReasons,
  type TargetStatus,
  targetStatuses,
  type WaitingOn,
  waitingOns,
  workflowStatuses,
} from '../vocabulary/states.ts';
import { withOldFields } from '../vocabulary/until-0.2.ts';
import { holdRecord } from './holds.ts';
import { consoleLine, consoleRecord } from './machine-consoles.ts';
import { orNull, time, words } from './schemas.ts';
import type { WorkflowDiffs } from './workflow-diffs.ts';

/** Not as a literal key: a value with a method of that name would be taken for a promise. */
export const THEN = 'then';

export const usualRecord = Type.Object(
  { p50: Type.Number(), p90: Type.Number(), runs: Type.Integer() },
  { title: 'UsualMs', description: 'Of earlier runs that succeeded, in ms' },
);

const waitRecord = Type.Object(
  {
    label: orNull(Type.String({ description: 'null: the graph itself waits' })),
    waitingOn: orNull(Type.Unsafe<WaitingOn>({ ...words(waitingOns), description: 'null: the task runs' })),
    since: orNull(time),
    dueAt: orNull(time),
    [THEN]: orNull(Type.String({ description: 'The consequence at `dueAt`' })),
    detail: Type.String(),
    usualMs: orNull(usualRecord),
  },
  { title: 'Wait' },
);

export const holderRecord = Type.Object({
  workflow: Type.String(),
  graphName: Type.String(),
  launchedBy: orNull(Type.String()),
  since: time,
});

export const bmcRecord = Type.Object(
  withOldFields({
    host: Type.String(),
    address: Type.String({ description: '`host:port`, or the origin of its Redfish service' }),
    retryAt: orNull(time),
    failures: Type.Integer(),
    lastAnswerAt: orNull(time),
  }),
);

const suggestion = Type.Object({
  action: words(['retry-now', 'cancel', 'resume', 'release', 'notify', 'check']),
  text: Type.String(),
  method: Type.Optional(words(['PUT', 'POST', 'DELETE', 'GET'])),
  path: Type.Optional(
    Type.String({ description: 'A PUT has the body `{ "command": <action> }`, a POST the parameters' }),
  ),
});

const rolloutWait = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    phase: Type.Integer(),
    sequence: Type.Integer(),
    status: Type.Unsafe<TargetStatus>(words(targetStatuses)),
    reason: Type.Unsafe<RolloutWaitReason>({
      ...words(rolloutWaitReasons),
      description: '`phase`: its turn comes later',
    }),
    detail: Type.String({ description: 'a sentence' }),
  },
  { title: 'RolloutWait' },
);

export const whyRecord = Type.Object(
  {
    /** null: a node without a workflow. */
    status: orNull(words(workflowStatuses)),
    node: orNull(Type.String()),
    holder: orNull(holderRecord),
    waits: Type.Array(waitRecord),
    /** The address of its BMC whose circuit is open longest, or that failed most. */
    bmc: orNull(bmcRecord),
    agent: orNull(Type.Object({ lastSeenAt: time, address: Type.String() })),
    holds: Type.Array(holdRecord, { description: 'of the node: the reasons for which nothing may start on it' }),
    rollouts: Type.Array(rolloutWait, { description: 'in which the node waits for its turn' }),
    console: orNull(
      Type.Array(consoleLine, {
        description:
          'The newest lines of the machine; null: its console is off, or no wait is for a boot, an agent or an installer',
      }),
    ),
    capture: orNull({ ...consoleRecord, description: 'The state of that console' }),
    suggestions: Type.Array(suggestion),
  },
  { title: 'Why' },
);

export type UsualMs = Static<typeof usualRecord>;

/** A wait; `outcome` is shown as `then`. */
export type WaitExplained = Omit<Static<typeof waitRecord>, typeof THEN> & { outcome: string | null };

export type RolloutWait = Static<typeof rolloutWait>;
export type Suggestion = Static<typeof suggestion>;
export type Why = Omit<Static<typeof whyRecord>, 'waits'> & { waits: WaitExplained[] };

const counts = Type.Record(Type.String(), Type.Integer());

export const summaryRecord = Type.Object(
  {
    workflows: Type.Object({
      byStatus: counts,
      byGraph: counts,
      stuck: Type.Integer(),
      oldestSeconds: orNull(Type.Number({ description: 'Age of the oldest wait' })),
    }),
    nodes: Type.Object({ total: Type.Integer(), busy: Type.Integer() }),
    backlog: Type.Object({ queue: Type.Integer(), events: Type.Integer(), hooks: Type.Integer() }),
    bmcs: Type.Object(withOldFields({ circuitsOpen: Type.Integer({ description: 'BMCs with an open circuit' }) })),
    broker: words(['up', 'down', 'none']),
    stores: words(['up', 'down']),
    disk: Type.Object({ path: Type.String(), freeBytes: Type.Number(), totalBytes: Type.Number() }),
    backup: Type.Object({ lastAt: orNull(time) }, { description: 'The last one that was made on this machine' }),
  },
  { title: 'Summary' },
);

export type Summary = Static<typeof summaryRecord>;

export interface Diagnosis extends WorkflowDiffs {
  /** @param team that of the member who asks: what is usual for it @returns undefined if there is no such workflow */
  whyWorkflow(id: string, team?: string): Promise<Why | undefined>;
  /** @param id of an existing node @param team as of `whyWorkflow` */
  whyNode(id: string, team?: string): Promise<Why>;
  /** Returns the ids of the active workflows that are stuck. */
  stuckWorkflows(): Promise<string[]>;
  summary(): Promise<Summary>;
}
