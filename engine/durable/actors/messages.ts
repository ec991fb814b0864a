/** The messages to actors. Every message may arrive twice; the second time it changes nothing. */

import type { ObmCommand } from '../../define/obm.ts';
import type { FlatError } from '../../vocabulary/errors.ts';
import type { Publication } from '../../vocabulary/event.ts';
import type { KnownBy } from '../../vocabulary/known-by.ts';

/** A task that counts as done, because it succeeded in the workflow that is retried. */
export interface CarriedTask {
  output: unknown;
  attempts: number;
  startedAt: string | null;
  finishedAt: string | null;
}

/** Holds that a user overrode with a launch, as they were then. */
export interface HoldOverride {
  holds: { id: string; kind: string; reason: string; createdBy: string | null }[];
  reason: string;
  /** null: unknown. */
  by: string | null;
}

/** The ticket under which a workflow started, with the users who asked for it and approved it. null: unknown. */
export interface TicketGrant {
  id: string;
  requestedBy: string | null;
  approvals: { by: string | null; at: string; note: string | null }[];
}

/** A role that a user had at the request. */
export interface LauncherRole {
  role: string;
  /** It counts on the nodes of this team only; absent: on the whole site. */
  team?: string;
}

/** The start command of a workflow; `create` turns it into a row, once. */
export interface StartCommand {
  id: string;
  graphName: string;
  definitionHash: string;
  /** The node it runs on, and the actor that delivers notifications to it (the workflow's own id without a node). */
  node: string | null;
  mailboxId: string;
  domain: string;
  /** The user who launched it, or the workflow whose child it is; null: unknown. */
  operator: string | null;
  /** Absent: it was not launched by a discovery. */
  discovery?: true;
  options: Record<string, unknown>;
  /** Values for `{{ }}` that are fixed at launch: server, api, file, env, sku. */
  bindings: Record<string, unknown>;
  /** The task run that waits for this workflow, if it is a child, and its label. Absent: an earlier release launched it. */
  parent: { workflow: string; operation: string; label?: string } | null;
  /** The team that its node belonged to at the launch; absent: none. */
  owner?: string;
  /** The team whose member launched it, or its parent: the workflow takes only nodes of this team. Absent: a user of the whole site. */
  team?: string;
  /** The rollout that launched it, and its phase; absent: none did. */
  rollout?: string;
  rolloutPhase?: number;
  /** The batch that launched it; absent: none did. */
  batch?: string;
  /** The rule that launched it; absent: none did. */
  rule?: string;
  /** The workflow that it repeats; absent: none. */
  retryOf?: string;
  /** By label: what it takes over from that one. Each is used once. */
  carried?: Record<string, CarriedTask>;
  /** The `once` tasks that a user allowed to run again although they may have taken effect. */
  acknowledged?: string[];
  /** Only for descendants: the workflow at the root of the tree, and the number of ancestors. */
  root?: string;
  depth?: number;
  /** The holds of its node that its launch overrode; absent: none. */
  override?: HoldOverride;
  /** Absent: it needed none. */
  ticket?: TicketGrant;
  /** The roles of the user who launched it, or its parent, which say what its children may be. Absent: none. */
  launcherRoles?: readonly LauncherRole[];
  /** Whether `options` or `bindings` hold encrypted values. */
  encrypted: boolean;
  /** Its trace and the parent of its spans (W3C Trace Context). */
  traceparent: string;
  createdAt: string;
}

/** Messages to a workflow. `knownBy`: how the agent was identified that has a command or reports its end. */
export type WorkflowMessage =
  | { type: 'work.done'; operation: string; output: unknown; chain?: string; notification?: string; knownBy?: KnownBy }
  | { type: 'work.failed'; operation: string; error: FlatError; chain?: string; knownBy?: KnownBy }
  /** `over`: the claim of a dead process or agent that is replaced, if the operation may start again. */
  | { type: 'work.claim'; operation: string; by: string; over?: string; knownBy?: KnownBy }
  /** A command for a node's obm is about to be sent by the activity `operation`, which runs in the process `by`. */
  | { type: 'command.send'; operation: string; by: string; id: string; node: string; command: ObmCommand }
  /** It was definitely not sent, or not executed. */
  | { type: 'command.unsent'; operation: string; id: string }
  /** Ends every wait for the release of the group. */
  | { type: 'release'; group: string }
  | { type: 'timer' }
  /** `by`: the user who asked for it; absent: the engine. */
  | { type: 'cancel'; by?: string }
  /** No task run and no attempt begins until `resume`. */
  | { type: 'pause'; by?: string }
  | { type: 'resume'; by?: string }
  /** Attempts that wait begin immediately; `only`: those that wait for a BMC. */
  | { type: 'retry-now'; by?: string; only?: 'bmc' }
  /** Blocks all further steps until `unquarantine`, except a cancel. `error` gives the reason. */
  | { type: 'quarantine'; error: FlatError }
  | { type: 'unquarantine'; by?: string }
  | { type: 'progress'; taskId: string; value: number; maximum: number; description: string };

/** One task run, as its callback identifies it. */
export interface TaskRunPlace {
  workflow: string;
  label: string;
  /** Which task run of the label, from 1. */
  visit: number;
}

/** The holds of a node, as a launch read them after it had read the mark of its actor. */
export interface SeenHolds {
  mark: string;
  /** None was stored: later launches need not look. */
  areGone: boolean;
}

/** A wait for a notification. */
export interface Receiver {
  /** `<workflow>/<work>` */
  receiver: string;
  label: string;
  visit: number;
  /** Receives only the callback of its task run. */
  callbackOnly?: true;
  /** Receives no broadcasts. */
  broadcast?: false;
}

/** A notification for a node. */
export interface Notice {
  id: string;
  at: string;
  parameters: Record<string, unknown>;
  /** The label that it is addressed to; absent: any. */
  task?: string;
  /** The task run that it is addressed to. */
  taskRun?: TaskRunPlace;
  /** It was sent to all nodes. */
  broadcast?: true;
  /** One of several notifications with the same nonce is accepted. */
  nonce?: string;
}

/** Messages to a node's actor. A waiter is `<workflow>/<work>`. */
export type NodeMessage =
  /** `seen`: of a node with a hold mark: the holds that do not refuse the launch. */
  | { type: 'launch'; start: StartCommand; seen?: SeenHolds }
  /** The node has got a hold: a launch has to look at its holds from now on. */
  | { type: 'hold'; mark: string }
  | { type: 'cancel'; workflow: string; by?: string }
  /** `announced`: published once it is accepted. */
  | ({ type: 'notify'; announced?: Publication } & Notice)
  | ({ type: 'await' } & Receiver)
  | { type: 'release'; receiver: string; notification?: string }
  | { type: 'ended'; workflow: string }
  /** The node is about to be removed. */
  | { type: 'retire' };
