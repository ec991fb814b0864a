/** What nodes say, as the API hands it on. */

export interface Notifications {
  /** Publishes, and hands it to the node's actor when there is a node. */
  notify(parameters: Record<string, unknown>, nodeId?: string): Promise<void>;
  /** @param taskId a task entry's instanceId @returns false when no workflow has it */
  progress(taskId: string, progress: { value: number; maximum: number; description: string }): Promise<boolean>;
}
