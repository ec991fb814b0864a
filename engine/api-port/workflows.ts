/** Workflows, as the API asks for them. */
import type { HistoryEntry, WorkflowRow } from '../step/row.ts';
import type { Page, Paged } from './page.ts';

export interface LaunchRequest {
  name: string;
  options: Record<string, unknown>;
  nodeId: string | null;
  domain?: string;
  /** The user who asks. */
  operator?: string;
}

export interface Workflows {
  /** @throws NodewrightError NOT_FOUND (graph), NODE_BUSY, INVALID_OPTIONS; nothing is started then */
  launch(request: LaunchRequest): Promise<WorkflowRow>;
  get(id: string): Promise<WorkflowRow | undefined>;
  /** Filter and sort name fields of the row. Default order: oldest first. */
  list(page: Page): Promise<Paged<WorkflowRow>>;
  activeOn(nodeId: string): Promise<WorkflowRow | undefined>;
  /** Harmless to repeat. @throws NodewrightError WORKFLOW_ENDED when it ended otherwise @returns undefined: not there */
  cancel(id: string): Promise<WorkflowRow | undefined>;
  /** Of one that is quarantined. @throws NodewrightError CONFLICT, WORKFLOW_ENDED @returns undefined: not there */
  release(id: string): Promise<WorkflowRow | undefined>;
  /** @returns undefined when none is active on the node */
  cancelOn(nodeId: string): Promise<WorkflowRow | undefined>;
  /** @throws NodewrightError WORKFLOW_ACTIVE @returns false when it is not there */
  remove(id: string): Promise<boolean>;
  /** Every step, oldest first; sorted by `version` or `at` only. Of a workflow that is not there: empty. */
  history(id: string, page: Page): Promise<Paged<HistoryEntry>>;
}
