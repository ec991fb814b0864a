/** The port of the API to workflows. */

import type { LauncherRole } from '../durable/actors/messages.ts';
import type { HistoryEntry, WorkflowRow } from '../durable/step/row.ts';
import type { OverrideRequest } from './holds.ts';
import type { Page, PagedList } from './page.ts';

export type { LauncherRole } from '../durable/actors/messages.ts';
export type { TaskEntry, WorkflowRow } from '../durable/step/row.ts';

export interface LaunchRequest {
  name: string;
  options: Record<string, unknown>;
  nodeId: string | null;
  domain?: string;
  /** The requesting user. */
  operator?: string;
  /** The team whose member asks for it: the node has to be of this team. Absent: a user of the whole site. */
  team?: string;
  /** The roles of the requesting user, for launches that are restricted; absent: none. */
  launcherRoles?: readonly LauncherRole[];
  /** Absent: it does not belong to a discovery. */
  discovery?: true;
  /** The holds of the node that it overrides. The user may do so. */
  override?: OverrideRequest;
  /** The id of the ticket under which it starts. */
  ticket?: string;
  /** The header of the request, as it was sent. */
  traceparent?: string;
}

export interface RetryRequest {
  /** `failed` (default), `start`, or a label. */
  from?: string;
  /** By label: they replace those of the original, field by field. */
  options?: Record<string, unknown>;
  /** The `once` tasks that may run again. */
  acknowledge?: readonly string[];
  /** Absent: the version of the original. */
  definition?: 'newest';
  /** As of a launch. */
  override?: OverrideRequest;
  ticket?: string;
  /** The requesting user. */
  operator?: string;
  /** As of a launch. */
  team?: string;
  /** As of a launch; those of the original do not count. */
  launcherRoles?: readonly LauncherRole[];
  /** The header of the request, as it was sent. */
  traceparent?: string;
}

export interface Launches {
  /**
   * Returns the id of the node to launch on, or to notify. Both reject a node that was removed, so a node with a recent step is
   * not read. @returns undefined if there is no such node
   */
  nodeIdOf(identifier: string): Promise<string | undefined>;
  /** @throws NodewrightError NOT_FOUND (graph), NODE_BUSY, NODE_HELD, INVALID_OPTIONS, LAUNCH_RESTRICTED, TICKET_REQUIRED, TICKET_MISMATCH; nothing is started then */
  launch(request: LaunchRequest): Promise<WorkflowRow>;
  /**
   * Runs a workflow that has ended again, as a new one.
   * @throws NodewrightError CONFLICT (its state), INVALID, RETRY_UNSAFE, and as `launch`
   * @returns undefined if there is no such workflow
   */
  retry(id: string, request: RetryRequest): Promise<WorkflowRow | undefined>;
}

export interface Workflows {
  get(id: string): Promise<WorkflowRow | undefined>;
  /** Returns the team that its node belonged to at the launch. @returns undefined if there is no such workflow */
  ownerOf(id: string): Promise<{ owner: string | null } | undefined>;
  /** Returns those of the workflows that belong to one of the teams. */
  ownedBy(teams: readonly string[], ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Filter and sort use fields of the row. Default order: oldest first. */
  list(page: Page): Promise<PagedList<WorkflowRow>>;
  activeOn(nodeId: string): Promise<WorkflowRow | undefined>;
  /** Returns every step, oldest first; sorted only by `version` or `at`. Empty for an unknown workflow. */
  history(id: string, page: Page): Promise<PagedList<HistoryEntry>>;
}

export interface WorkflowControl {
  /**
   * Idempotent.
   * @param by the requesting user
   * @throws NodewrightError WORKFLOW_ENDED if it ended otherwise
   * @returns undefined if there is none
   */
  cancel(id: string, by?: string): Promise<WorkflowRow | undefined>;
  /** @returns undefined if none is active on the node */
  cancelOn(nodeId: string, by?: string): Promise<WorkflowRow | undefined>;
  /**
   * Releases a quarantined workflow.
   * @param roles of the requesting user, as of a launch
   * @throws NodewrightError CONFLICT, WORKFLOW_ENDED, LAUNCH_RESTRICTED
   * @returns undefined if there is none
   */
  release(id: string, by?: string, roles?: readonly LauncherRole[]): Promise<WorkflowRow | undefined>;
  /** Begins no more tasks and attempts, in the workflow and its children. Idempotent. @throws NodewrightError CONFLICT, WORKFLOW_ENDED */
  pause(id: string, by?: string): Promise<WorkflowRow | undefined>;
  /** @throws as `release` */
  resume(id: string, by?: string, roles?: readonly LauncherRole[]): Promise<WorkflowRow | undefined>;
  /** Begins the attempts that wait, also those for a BMC with an open circuit. @throws as `pause` */
  retryNow(id: string, by?: string): Promise<WorkflowRow | undefined>;
  /** @throws NodewrightError WORKFLOW_ACTIVE @returns false if there is no such workflow */
  remove(id: string): Promise<boolean>;
}
