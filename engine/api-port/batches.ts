/** The port of the API to batches: one graph, launched on many nodes. */
import type { BatchStatus, WorkflowStatus } from '../vocabulary/states.ts';

export interface BatchRequest {
  name: string;
  options: Record<string, unknown>;
  domain?: string;
  /** Ids of nodes; unknown ones are rejected in the batch. */
  nodes: readonly string[];
  /** Maximum of active workflows; absent: no limit. */
  concurrency?: number;
  /** Number of failed workflows after which no more are launched; absent: no limit. */
  maxFailures?: number;
  /** The requesting user. */
  operator?: string;
}

export interface BatchRecord {
  id: string;
  name: string;
  status: BatchStatus;
  launchedBy: string | null;
  concurrency: number | null;
  maxFailures: number | null;
  launched: { node: string; workflow: string }[];
  rejected: { node: string; code: string; message: string }[];
  /** Nodes that are launched later. */
  waiting: string[];
  /** Number of launched workflows by status; a deleted one is not counted. */
  counts: Record<WorkflowStatus, number>;
  createdAt: string;
}

export interface Batches {
  /** @throws NodewrightError NOT_FOUND (graph), TOO_MANY_REQUESTS; a rejection of one node is in the record */
  create(request: BatchRequest): Promise<BatchRecord>;
  get(id: string): Promise<BatchRecord | undefined>;
  /**
   * Launches no more, and cancels what is active. Idempotent.
   * @throws NodewrightError CONFLICT if nothing of it is active any more
   * @returns undefined if there is no such batch
   */
  cancel(id: string, by?: string): Promise<BatchRecord | undefined>;
}
