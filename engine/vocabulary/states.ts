/**
 * The states of workflows and tasks. All code that shows, stores or compares a state uses these values, so that the API,
 * the history and the events agree.
 */
import { isOneOf } from './one-of.ts';

/** A workflow's `status`. The first two are active: they occupy the node. */
export const workflowStatuses = ['pending', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type WorkflowStatus = (typeof workflowStatuses)[number];

/** How a workflow can end. */
export type WorkflowOutcome = 'succeeded' | 'failed' | 'cancelled';

/** A task entry's `state` inside a workflow. */
export const taskStates = [
  'pending',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'timeout',
  'cancelled',
  'skipped',
] as const;
export type TaskState = (typeof taskStates)[number];

/**
 * The things that a task may wait for. `event`: its machine waits in a state without an operation and without a timer. `lease`: the
 * process that runs its `once` activity is silent.
 */
export const waitingOns = [
  'notification',
  'timer',
  'retry',
  'command',
  'release',
  'child',
  'bmc',
  'lease',
  'paused',
  'held',
  'event',
] as const;
export type WaitingOn = (typeof waitingOns)[number];

/** The final states of a task run. A skipped or pending task never had a task run. */
export const taskRunEnds = ['succeeded', 'failed', 'timeout', 'cancelled'] as const;
export type TaskRunEnd = (typeof taskRunEnds)[number];

/** The values of `waitOn` in a list-of-tasks graph; `finished` means any of `taskRunEnds`. */
export const waitStates = [...taskRunEnds, 'finished'] as const;
export type WaitState = (typeof waitStates)[number];

/** How to recover a task run that was in progress when its process died. */
export const recoveries = ['idempotent', 'once'] as const;
export type Recovery = (typeof recoveries)[number];

/** The effect of a task on the power of its node; `cycle`: off and on again, or a reset. */
export const powerEffects = ['on', 'off', 'cycle'] as const;
export type PowerEffect = (typeof powerEffects)[number];

/** The state of an event's delivery to a web hook. */
export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;

/** `finished`: every node was launched or rejected. `stopped`: too many workflows of the batch failed. */
export const batchStatuses = ['running', 'stopped', 'cancelled', 'finished'] as const;
export type BatchStatus = (typeof batchStatuses)[number];

export const failureCommands = ['address', 'reopen', 'retry'] as const;
export type FailureCommand = (typeof failureCommands)[number];

/** The commands that many workflows can get together. */
export const bulkCommands = ['retry', 'cancel', 'pause', 'resume'] as const;
export type BulkCommand = (typeof bulkCommands)[number];

/** `finished`: every workflow took the command, or rejected it. */
export const bulkActionStatuses = ['running', 'finished', 'cancelled'] as const;
export type BulkActionStatus = (typeof bulkActionStatuses)[number];

export const bulkItemStatuses = ['pending', 'succeeded', 'rejected', 'cancelled'] as const;
export type BulkItemStatus = (typeof bulkItemStatuses)[number];

/** `paused`: nothing more begins until its reason is gone. The last three are ends. */
export const rolloutStatuses = ['running', 'paused', 'succeeded', 'completed_with_failures', 'cancelled'] as const;
export type RolloutStatus = (typeof rolloutStatuses)[number];

/** The reasons of a pause: a user, the end of a phase that a user advances, a gate, a closed window, a missing approval. */
export const pauseKinds = ['user', 'phase', 'gate', 'window', 'ticket'] as const;
export type PauseKind = (typeof pauseKinds)[number];

/** `pending`: its turn has not come. `waiting`: its turn came, and its node was busy or held. */
export const targetStatuses = ['pending', 'waiting', 'running', 'succeeded', 'failed', 'cancelled', 'skipped'] as const;
export type TargetStatus = (typeof targetStatuses)[number];

/** Why a target of a rollout does not run, or was skipped. `gone`: its node was deleted. */
export const targetReasons = ['limit', 'gate', 'window', 'held', 'busy', 'cancelled', 'gone'] as const;
export type TargetReason = (typeof targetReasons)[number];

/** The reasons for which a target has not begun. */
export const rolloutWaitReasons = [...pauseKinds, 'limit', 'busy', 'held'] as const;
export type RolloutWaitReason = (typeof rolloutWaitReasons)[number];

/** `requested` and `approved` are open, the others ends. */
export const ticketStatuses = ['requested', 'approved', 'rejected', 'withdrawn', 'used', 'expired'] as const;
export type TicketStatus = (typeof ticketStatuses)[number];
/** The outcome of a due time of a schedule. `queued`: it waits for the end of the run before. */
export const runStatuses = ['queued', 'started', 'skipped', 'missed'] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Why a node is held. `fault`: by a rule. */
export const holdKinds = ['maintenance', 'repair', 'legal', 'fault', 'other'] as const;
export type HoldKind = (typeof holdKinds)[number];
/** The values by which lists of nodes filter. */
export const heldWords = ['true', 'false', ...holdKinds] as const;

/** The actions that a hold keeps off its node. */
export const holdBlocks = ['launch', 'power', 'poll', 'alert'] as const;
export type HoldBlock = (typeof holdBlocks)[number];

/** The outcome of an event for a rule. `pending`: it is being decided. `held`: the rule added a hold. */
export const ruleRunStatuses = ['pending', 'started', 'held', 'refused'] as const;
export type RuleRunStatus = (typeof ruleRunStatuses)[number];

/** Why a rule did not act on an event. `gone`: its node was deleted. `rejected`: the launch or hold was. */
export const ruleRunReasons = ['limit', 'busy', 'held', 'gone', 'disabled', 'rejected'] as const;
export type RuleRunReason = (typeof ruleRunReasons)[number];

/** The health of a node, or one report about it. `unknown`: nothing says how it is. */
export const healthStates = ['ok', 'warning', 'critical', 'unknown'] as const;
export type HealthState = (typeof healthStates)[number];

/** How bad the health of a node may be until a gate trips. */
export const healthGates = ['warning', 'critical'] as const;
export type HealthGate = (typeof healthGates)[number];

/** How the last burn-in of a node that ran to its end came out. */
export const burnInOutcomes = ['passed', 'failed'] as const;
export type BurnInOutcome = (typeof burnInOutcomes)[number];

export const isActive = (status: WorkflowStatus): boolean => status === 'pending' || status === 'running';
export const isTaskRunEnd = (state: TaskState): state is TaskRunEnd => isOneOf(taskRunEnds, state);

/** The obm by which the serial console of a machine is read. */
export const consoleSources = ['ipmi', 'redfish'] as const;
export type ConsoleSource = (typeof consoleSources)[number];

export const consoleStates = ['off', 'connecting', 'connected'] as const;
export type ConsoleState = (typeof consoleStates)[number];

/** The stored states of a node's power: while it changes, or where a service cannot tell, the last one stays. */
export const powerStates = ['on', 'off'] as const;

/** Event streams of BMCs: `waiting` for the BMC, or after a failure; `none`: the BMC has no stream. */
export const eventStreamStates = ['open', 'waiting', 'none'] as const;
export type EventStreamState = (typeof eventStreamStates)[number];
