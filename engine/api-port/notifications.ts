/** What nodes say, as the API hands it on. */

/** Which wait a notification is for, and how a repeat is recognized. */
export interface Addressed {
  /** A label: only waits of that task take it. */
  task?: string;
  /** Of several with the same nonce a workflow takes one. */
  nonce?: string;
}

export interface Notified {
  /** The nonce was known: nothing was changed. */
  isRepeat: boolean;
  /** What the first one was answered with. */
  answer: Record<string, unknown>;
}

export interface Notifications {
  /**
   * Publishes, and hands it to the node's actor when there is a node; without one, to all.
   * @throws NodewrightError TOO_MANY_REQUESTS while too many broadcasts are under way, NOT_FOUND when no workflow on the node
   * has that task
   */
  notify(parameters: Record<string, unknown>, nodeId?: string, to?: Addressed): Promise<Notified>;
  /** The node of the workflow that a callback is for; null: it has none; undefined: there is no such callback. */
  nodeOfCallback(nonce: string): Promise<string | null | undefined>;
  /** @returns undefined when there is no such callback. One that came before, or is too late, is a repeat */
  callBack(nonce: string, parameters: Record<string, unknown>): Promise<Notified | undefined>;
  /** The node of the workflow that has the task; null: it has none; undefined: no workflow has the task. */
  nodeOfTask(taskId: string): Promise<string | null | undefined>;
  /** @param taskId a task entry's instanceId @returns false when no workflow has it */
  progress(taskId: string, progress: { value: number; maximum: number; description: string }): Promise<boolean>;
}
