/** The rules of the oracle: what must be true, whatever dies. */

export const rules = {
  STARTS: 'a daemon starts whenever its stores answer',
  LAUNCH_KEPT: 'each acknowledged launch is there',
  NOTIFICATION_KEPT: 'each acknowledged notification is there',
  CHANGE_KEPT: 'each acknowledged change of a node is there',
  ONE_HOLDER: 'a node has one active workflow',
  NODE_FREE: 'a node is free once its workflow has ended',
  ONCE: 'an effect that must not be repeated is done at most once',
  DONE: 'a task that succeeded was done',
  ENDS: 'a workflow ends in a state that its graph allows, or waits for its client',
  WHY: 'an active workflow says what it waits for',
  EVENT_ORDER: 'the events of a workflow are 1, 2, 3',
  EVENT_ONCE: 'each event has one id',
  EVENT_KEPT: 'each event of a workflow is published, its end included',
  EVENT_LOGGED: 'each published event is in the event log',
  SAVED: 'what is published about a workflow has been saved',
  LIMIT: 'no more targets of a rollout run than its limits allow',
  GATE: 'no target begins after the failures, or the health of a node, at which a gate trips, before its rollout is resumed',
  WINDOW: 'no target of a rollout begins while its window is closed',
  TARGET_ONCE: 'each target of a rollout is launched once, and once more for each retry',
  RETRY: 'a retry begins failed targets only',
  ROLLOUT_ENDS: 'an acknowledged rollout ends, once its client has resumed it',
  HOLD: 'no workflow begins on a node with an acknowledged hold',
  TICKET: 'what needs an approval begins with an approved ticket, which nothing else has used',
  DUE_TIME: 'each due time happens at most once, and is listed',
  HISTORY: 'the history of a workflow has each of its steps',
} as const;

export type Rule = keyof typeof rules;
