/**
 * The words for where a workflow and a task stand. Everything that shows, stores or compares a state takes it
 * from here, so that the API, the history and the events never disagree.
 */

/** A workflow's `status`. The first two are active: they hold the node. */
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

/** The states in which a call has an end of its own (a skipped or pending task never had a call). */
export const callEnds = ['succeeded', 'failed', 'timeout', 'cancelled'] as const;
export type CallEnd = (typeof callEnds)[number];

/** What `waitOn` of a list-of-tasks graph may name; `finished` stands for any of `callEnds`. */
export const waitStates = [...callEnds, 'finished'] as const;
export type WaitState = (typeof waitStates)[number];

/** What becomes of a call that was under way when its process died. */
export const recoveries = ['idempotent', 'once'] as const;
export type Recovery = (typeof recoveries)[number];

/** The state of an event's delivery to a web hook. */
export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const isActive = (status: WorkflowStatus): boolean => status === 'pending' || status === 'running';
export const isCallEnd = (state: TaskState): state is CallEnd => (callEnds as readonly string[]).includes(state);
