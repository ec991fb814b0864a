/** The port of the API to notifications from nodes. */

/** The addressee of a notification, and the nonce that identifies a repeat. */
export interface NotificationTarget {
  /** A label: only waits of that task receive it. */
  task?: string;
  /** A workflow accepts one of several notifications with the same nonce. */
  nonce?: string;
}

export interface NotificationResult {
  /** The nonce is known: nothing was changed. */
  isRepeat: boolean;
  /** The answer to the first notification. */
  answer: Record<string, unknown>;
}

export interface Notifications {
  /**
   * Publishes a notification and delivers it to the node's actor; without a node, to all actors.
   * @throws NodewrightError TOO_MANY_REQUESTS during too many broadcasts, NOT_FOUND if no workflow on the node has the
   * task
   */
  notify(parameters: Record<string, unknown>, nodeId?: string, to?: NotificationTarget): Promise<NotificationResult>;
  /**
   * Completes the wait of one task run of a workflow, instead of its node.
   * @param to `task` may be left out if only one task run waits
   * @returns undefined for an unknown workflow
   * @throws NodewrightError NOT_FOUND for a label that it does not have, CONFLICT if no task run waits, or several do
   */
  notifyWorkflow(
    id: string,
    parameters: Record<string, unknown>,
    to: NotificationTarget,
  ): Promise<NotificationResult | undefined>;
  /** Returns the node of a callback's workflow; null: it has no node; undefined: there is no such callback. */
  nodeOfCallback(nonce: string): Promise<string | null | undefined>;
  /** @returns undefined if there is no such callback. A repeated or late one returns `isRepeat` */
  callBack(nonce: string, parameters: Record<string, unknown>): Promise<NotificationResult | undefined>;
  /** Returns the node of the task's workflow; null: it has no node; undefined: there is no such task. */
  nodeOfTask(taskId: string): Promise<string | null | undefined>;
  /** @param taskId a task entry's instanceId @returns false if no workflow has it */
  progress(taskId: string, progress: { value: number; maximum: number; description: string }): Promise<boolean>;
}
