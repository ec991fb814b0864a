/** The port of the API to batches: one graph, launched on many nodes. */
import { type Static, Type } from 'typebox';
import { batchStatuses, type WorkflowStatus } from '../vocabulary/states.ts';
import { withOldFields } from '../vocabulary/until-0.2.ts';
import type { OverrideRequest } from './holds.ts';
import type { Page, PagedList } from './page.ts';
import { orNull, time, words } from './schemas.ts';
import type { LauncherRole } from './workflows.ts';

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
  /** Id of an approved ticket for all of them. */
  ticket?: string;
  /** As of a launch; each node overrides its own holds among these. */
  override?: OverrideRequest;
  /** The requesting user. */
  operator?: string;
  /** As of a launch: nodes of others are rejected in the batch as unknown ones. */
  team?: string;
  /** As of a launch. */
  launcherRoles?: readonly LauncherRole[];
}

export const batchRecord = Type.Object(
  withOldFields({
    id: Type.String(),
    name: Type.String(),
    status: words(batchStatuses),
    launchedBy: orNull(Type.String()),
    concurrency: orNull(Type.Integer()),
    maxFailures: orNull(Type.Integer()),
    ticket: orNull(Type.String()),
    team: Type.Optional(Type.String({ description: 'The team whose member started it; absent: a user of the site' })),
    launched: Type.Array(Type.Object({ node: Type.String(), workflow: Type.String() })),
    rejected: Type.Array(Type.Object({ node: Type.String(), code: Type.String(), message: Type.String() })),
    waiting: Type.Array(Type.String(), { description: 'nodes that are launched later' }),
    counts: Type.Record(Type.String(), Type.Integer(), { description: 'of workflows, by status' }),
    createdBy: orNull(Type.String()),
    createdAt: time,
    updatedAt: time,
  }),
  { title: 'Batch' },
);

export type BatchRecord = Omit<Static<typeof batchRecord>, 'counts'> & {
  /** Number of launched workflows by status; a deleted one is not counted. */
  counts: Record<WorkflowStatus, number>;
};

export interface Batches {
  /** @throws NodewrightError NOT_FOUND (graph, ticket), TICKET_REQUIRED, TICKET_MISMATCH, TOO_MANY_REQUESTS; a rejection of one node is in the record */
  create(request: BatchRequest): Promise<BatchRecord>;
  get(id: string): Promise<BatchRecord | undefined>;
  /** Default order: oldest first. */
  list(page: Page): Promise<PagedList<BatchRecord>>;
  /**
   * Launches no more, and cancels what is active. Idempotent.
   * @throws NodewrightError CONFLICT if nothing of it is active any more
   * @returns undefined if there is no such batch
   */
  cancel(id: string, by?: string): Promise<BatchRecord | undefined>;
}
