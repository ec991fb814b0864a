/**
 * The scope of users with roles on the nodes of teams only. By default a route is denied to them: each route that they may use
 * declares how it is limited to their teams, and `api/auth/reach.ts` enforces it before the handler.
 */
import type { Engine } from '../../engine/api-port/index.ts';
import type { NodewrightError } from '../../engine/vocabulary/errors.ts';
import type { Privilege } from '../../engine/vocabulary/roles.ts';

/** A role on the nodes of a team. */
export interface Grant {
  team: string;
  role: string;
  privileges: readonly Privilege[];
  /** Patterns of names; absent: it may launch all graphs. */
  graphs?: readonly string[];
  /** Its token has only some of the privileges of the role. */
  isLimited?: true;
}

/**
 * - node: `:identifier` is a node of their teams
 * - workflow: `:id` is a workflow of their teams
 * - record: `:id` is a record of their teams, one of `records`
 * - handler: the handler limits it, by `scope`
 * - free: its answer is the same for all users, and has nothing of a node; it reads, or computes
 */
export type TeamReach = ({ by: 'node' | 'workflow' | 'handler' | 'free' } | { by: 'record'; records: OwnedRecords }) & {
  /** The list is limited by this field, whose values are teams. */
  list?: string;
};

/** Records that belong to a team, or to the whole site. */
export interface OwnedRecords {
  /** @returns undefined: there is no such record */
  get(engine: Engine, id: string): Promise<{ owner?: string | null } | undefined>;
  missing(id: string): NodewrightError;
}

/** The part of the site that a request may reach. */
export interface TeamScope {
  /** Those that have one of the privileges that the route needs. */
  grants: readonly Grant[];
  /** The teams of `grants`. */
  teams: readonly string[];
  /** All teams of the user: their nodes are no secret, also if a privilege is missing. */
  visible: readonly string[];
  required: readonly Privilege[];
  /** The team of the node or workflow that the path names; absent: it names none. */
  team?: string;
}
