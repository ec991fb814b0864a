/** The port of the API to bulk actions: one command to many workflows. */
import { type Static, Type } from 'typebox';
import { bulkActionStatuses, bulkCommands, bulkItemStatuses } from '../vocabulary/states.ts';
import type { Page, PagedList } from './page.ts';
import { anyObject, nonEmpty, orNull, owningTeam, time, words } from './schemas.ts';
import type { LauncherRole } from './workflows.ts';

/** Workflows of one action. */
export const WORKFLOWS_PER_ACTION = 10_000;

export const bulkActionBody = Type.Object(
  {
    command: words(bulkCommands),
    ids: Type.Optional(Type.Array(nonEmpty, { minItems: 1, maxItems: WORKFLOWS_PER_ACTION })),
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean()]), {
        description: 'filters of the list of workflows, such as `{ "status": "failed" }`; children are not selected',
      }),
    ),
    options: Type.Optional(
      Type.Record(Type.String(), anyObject, { description: 'of a retry: they replace those of the originals' }),
    ),
    acknowledge: Type.Optional(
      Type.Union([Type.Boolean(), Type.Array(nonEmpty, { maxItems: 1_000, uniqueItems: true })], {
        description:
          'of a retry: all `once` tasks, or those with these labels, may run again although they may have taken effect',
      }),
    ),
  },
  { additionalProperties: false },
);

export interface BulkActionRequest {
  command: Static<typeof bulkActionBody>['command'];
  /** Ids of workflows, or a condition of the store on them. */
  select: { ids: readonly string[] } | { filter: Record<string, unknown> };
  options?: Record<string, unknown>;
  acknowledge?: boolean | readonly string[];
  /** The requesting user. */
  operator?: string;
  /** As of a launch: for retries, and for what is resumed. */
  launcherRoles?: readonly LauncherRole[];
  /** The member of a team who asks: workflows of others do not exist. Absent: a user of the whole site. */
  member?: ActingMember;
}

export interface ActingMember {
  team: string;
  /** The code and message of the rejection of a retry of this graph; undefined: the member may launch it. */
  rejectionOf(graph: string): { code: string; message: string } | undefined;
}

export const bulkActionRecord = Type.Object(
  {
    id: Type.String(),
    command: words(bulkCommands),
    status: words(bulkActionStatuses),
    counts: Type.Record(Type.String(), Type.Integer(), { description: 'of items, by status' }),
    items: Type.Array(
      Type.Object({
        workflow: Type.String(),
        status: words(bulkItemStatuses),
        code: orNull(Type.String()),
        message: orNull(Type.String()),
        newWorkflow: Type.Optional(Type.String({ description: 'of a retry' })),
      }),
    ),
    createdBy: orNull(Type.String()),
    owner: Type.Optional(owningTeam),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'BulkAction' },
);

export type BulkActionRecord = Static<typeof bulkActionRecord>;

export interface BulkActions {
  /** @throws NodewrightError INVALID, INVALID_OPTIONS, TOO_MANY_REQUESTS; the rejection of one workflow is in the record */
  create(request: BulkActionRequest): Promise<BulkActionRecord>;
  get(id: string): Promise<BulkActionRecord | undefined>;
  /** Default order: oldest first. */
  list(page: Page): Promise<PagedList<BulkActionRecord>>;
  /** Leaves the items that have not begun. @throws NodewrightError CONFLICT if it has ended */
  cancel(id: string): Promise<BulkActionRecord | undefined>;
}
