/** What nodes say, as the API hands it on. */

export interface Notifications {
  /**
   * Publishes, and hands it to the node's actor when there is a node.
   * @throws NodewrightError TOO_MANY_REQUESTS while too many broadcasts are under way
   */
  notify(parameters: Record<string, unknown>, nodeId?: string): Promise<void>;
  /** The node of the workflow that has the task; null: it has none; undefined: no workflow has the task. */
  nodeOfTask(taskId: string): Promise<string | null | undefined>;
  /** @param taskId a task entry's instanceId @returns false when no workflow has it */
  progress(taskId: string, progress: { value: number; maximum: number; description: string }): Promise<boolean>;
}
