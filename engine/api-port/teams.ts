/** The port of the API to teams: the owners of nodes, and of the workflows on them. */
import { type Static, Type } from 'typebox';
import type { Page, PagedList } from './page.ts';
import { orNull, time } from './schemas.ts';

export const teamName = Type.String({ pattern: '^[A-Za-z][0-9A-Za-z._-]*$', maxLength: 100 });

const description = Type.String({ maxLength: 1_000 });

const quotas = Type.Object(
  {
    runningWorkflows: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'Workflows that run at the same time on its nodes; absent: without a limit',
      }),
    ),
    rollouts: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'Rollouts of its members that have not ended; absent: without a limit',
      }),
    ),
  },
  { additionalProperties: false },
);

export const newTeam = Type.Object(
  { name: teamName, description: Type.Optional(description), quotas: Type.Optional(quotas) },
  { additionalProperties: false },
);

export const teamChange = Type.Partial(Type.Object({ description, quotas }), {
  additionalProperties: false,
  minProperties: 1,
});

export const teamRecord = Type.Object(
  {
    id: Type.String({ description: 'Its name' }),
    name: Type.String(),
    description: Type.String(),
    quotas,
    createdAt: time,
    updatedAt: time,
    createdBy: orNull(Type.String({ description: 'The user who created it; null: unknown' })),
  },
  { title: 'Team' },
);

/** Binds a role to the nodes of a team. */
export const binding = Type.Object(
  {
    role: Type.String({ description: 'Its privileges count on the nodes of the team only' }),
    team: Type.String(),
    graphs: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Names of graphs that it may launch, `*` for any characters; absent: all',
      }),
    ),
  },
  { additionalProperties: false, title: 'Binding' },
);

export type NewTeam = Static<typeof newTeam>;
export type TeamChange = Static<typeof teamChange>;
export type TeamRecord = Static<typeof teamRecord>;
export type Binding = Static<typeof binding>;

/** A team that a request names, and where in its body. */
export interface NamedTeam {
  name: string;
  /** Path in the body. */
  at: string;
}

export interface Teams {
  list(page: Page): Promise<PagedList<TeamRecord>>;
  get(name: string): Promise<TeamRecord | undefined>;
  /** @param by the requesting user @throws NodewrightError DUPLICATE, CONFLICT (too many) */
  create(team: NewTeam, by?: string): Promise<TeamRecord>;
  /** @returns undefined if there is no such team */
  change(name: string, change: TeamChange): Promise<TeamRecord | undefined>;
  /** @throws NodewrightError CONFLICT while it owns a node or is bound @returns false if there is no such team */
  remove(name: string): Promise<boolean>;
  /** Makes a change that names teams, none of which is removed in the meantime. @throws NodewrightError INVALID for unknown ones */
  naming<T>(teams: readonly NamedTeam[], change: () => Promise<T>): Promise<T>;
  /**
   * Gives a node to a team, or to none. When it resolves, no workflow of the owner before can begin on the node.
   * @param team null: none
   * @throws NodewrightError INVALID (unknown team), WORKFLOW_ACTIVE; then the node has the owner that it had
   * @returns false if there is no such node
   */
  assign(node: string, team: string | null): Promise<boolean>;
}
