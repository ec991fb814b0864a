/** The port of the API to workflows. */
import type { HistoryEntry, WorkflowRow } from '../step/row.ts';
import type { Page, Paged } from './page.ts';

export interface LaunchRequest {
  name: string;
  options: Record<string, unknown>;
  nodeId: string | null;
  domain?: string;
  /** The requesting user. */
  operator?: string;
  /** Absent: it does not belong to a discovery. */
  discovery?: true;
}

export interface Workflows {
  /** @throws NodewrightError NOT_FOUND (graph), NODE_BUSY, INVALID_OPTIONS; nothing is started then */
  launch(request: LaunchRequest): Promise<WorkflowRow>;
  get(id: string): Promise<WorkflowRow | undefined>;
  /** Filter and sort use fields of the row. Default order: oldest first. */
  list(page: Page): Promise<Paged<WorkflowRow>>;
  activeOn(nodeId: string): Promise<WorkflowRow | undefined>;
  /**
   * Idempotent.
   * @param by the requesting user
   * @throws NodewrightError WORKFLOW_ENDED if it ended otherwise
   * @returns undefined if there is none
   */
  cancel(id: string, by?: string): Promise<WorkflowRow | undefined>;
  /**
   * Releases a quarantined workflow.
   * @throws NodewrightError CONFLICT, WORKFLOW_ENDED
   * @returns undefined if there is none
   */
  release(id: string, by?: string): Promise<WorkflowRow | undefined>;
  /** @returns undefined if none is active on the node */
  cancelOn(nodeId: string, by?: string): Promise<WorkflowRow | undefined>;
  /** @throws NodewrightError WORKFLOW_ACTIVE @returns false if there is no such workflow */
  remove(id: string): Promise<boolean>;
  /** Returns every step, oldest first; sorted only by `version` or `at`. Empty for an unknown workflow. */
  history(id: string, page: Page): Promise<Paged<HistoryEntry>>;
}
