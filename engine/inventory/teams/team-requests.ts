/**
 * Teams: documents whose id is the name. Nodes name their owner by it, and bindings of users their team.
 *
 * 1. A change that names teams, and the removal of a team, wait for each other in all processes: no node and no user names a team
 *    that does not exist, so one that is created later under an old name owns nothing.
 * 2. Changes of bindings and of owners write after they have renewed the lease.
 */

import type { Page, PagedList } from '../../api-port/page.ts';
import type { NamedTeam, NewTeam, TeamChange, TeamRecord, Teams } from '../../api-port/teams.ts';
import type { SerializedChanges } from '../../platform/cluster/serialized-changes.ts';
import { now } from '../../platform/lib/clock.ts';
import { byIds } from '../../platform/store/pages.ts';
import { type Collection, type CollectionSpec, DuplicateError } from '../../platform/store/port.ts';
import { NodewrightError, rejectViolations } from '../../vocabulary/errors.ts';
import type { OwnerChanges } from './owner-changes.ts';

export const teamSpec: CollectionSpec = {
  name: 'teams',
  indexes: { name: 'text', createdAt: 'text', updatedAt: 'text' },
};

/** Names what uses a team, such as `the user ann`; undefined: nothing of its kind does. */
export type TeamUse = (team: string) => Promise<string | undefined>;

const TEAMS = 1_000;

/** A process learns within this time that there are teams. */
const ANY_TEAM_MS = 2_000;

const time = (): string => new Date(now()).toISOString();

export class TeamRequests implements Teams {
  readonly #stored: Collection<TeamRecord>;
  readonly #changes: SerializedChanges;
  readonly #owners: OwnerChanges;
  readonly #uses: TeamUse[] = [];
  #exist = false;
  #lookAt = 0;

  constructor(stored: Collection<TeamRecord>, changes: SerializedChanges, owners: OwnerChanges) {
    this.#stored = stored;
    this.#changes = changes;
    this.#owners = owners;
  }

  /** Keeps teams that something names from being removed. */
  addUse(use: TeamUse): void {
    this.#uses.push(use);
  }

  /** Whether a node may have an owner: where there never was a team, a launch need not read that. */
  async areAny(): Promise<boolean> {
    if (this.#exist || now() < this.#lookAt) return this.#exist;
    this.#lookAt = now() + ANY_TEAM_MS;
    this.#exist = (await this.#stored.count({})) > 0;
    return this.#exist;
  }

  async list({ filter, ...page }: Page): Promise<PagedList<TeamRecord>> {
    const items = await this.#stored.find(filter, { ...page, sort: page.sort ?? { id: 1 } });
    return { items, total: await this.#stored.count(filter) };
  }

  get(name: string): Promise<TeamRecord | undefined> {
    return this.#stored.get(name);
  }

  async create({ name, description = '', quotas = {} }: NewTeam, by?: string): Promise<TeamRecord> {
    if ((await this.#stored.count({})) >= TEAMS)
      throw new NodewrightError('CONFLICT', `there are ${TEAMS} teams; remove one first`);
    const at = time();
    const team = { id: name, name, description, quotas, createdAt: at, updatedAt: at, createdBy: by ?? null };
    try {
      await this.#stored.insert(team);
    } catch (error) {
      if (error instanceof DuplicateError) throw new NodewrightError('DUPLICATE', `the team ${name} already exists`);
      throw error;
    }
    this.#exist = true;
    return team;
  }

  change(name: string, change: TeamChange): Promise<TeamRecord | undefined> {
    return this.#stored.update({ id: name }, { $set: { ...change, updatedAt: time() } });
  }

  remove(name: string): Promise<boolean> {
    return this.#changes.run(async (lease) => {
      for (const use of this.#uses) {
        const user = await use(name);
        if (user !== undefined)
          throw new NodewrightError('CONFLICT', `the team ${name} is in use: ${user}; change that first`);
      }
      await this.#changes.renew(lease);
      return (await this.#stored.remove({ id: name })) > 0;
    });
  }

  naming<T>(teams: readonly NamedTeam[], change: () => Promise<T>): Promise<T> {
    if (teams.length === 0) return change();
    return this.#changes.run(async (lease) => {
      const there = new Set(
        (await byIds(this.#stored, [...new Set(teams.map(({ name }) => name))])).map(({ id }) => id),
      );
      rejectViolations(
        teams.flatMap(({ name, at }) =>
          there.has(name)
            ? []
            : [{ path: at, message: `is ${JSON.stringify(name)}, which is no team; see /api/current/teams` }],
        ),
      );
      await this.#changes.renew(lease);
      return change();
    });
  }

  assign(node: string, team: string | null): Promise<boolean> {
    this.#exist = true;
    const named = team === null ? [] : [{ name: team, at: 'owner' }];
    return this.naming(named, () => this.#owners.change(node, team));
  }
}
