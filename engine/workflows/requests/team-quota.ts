/**
 * TeamQuota: how many of its kind a team may have at the same time: workflows that run on its nodes, or rollouts of its members.
 *
 * 1. They are counted in their rows, by the index of owners: there is no counter that a crash could leave wrong.
 * 2. Of the requests for a team with a quota one begins at a time, over all processes, and each sees the rows of those before.
 *
 * If the process dies
 * - before the row is there: nothing has begun, and nothing counts;
 * - after that: the row counts. Until another process notices the death, requests for this team are answered 503.
 */
import type { TeamRecord } from '../../api-port/teams.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { Leases } from '../../platform/cluster/leases.ts';
import { SerializedChanges } from '../../platform/cluster/serialized-changes.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isActive, workflowStatuses } from '../../vocabulary/states.ts';

interface QuotaScope {
  leases: Leases;
  teams: { get(name: string): Promise<Pick<TeamRecord, 'quotas'> | undefined> };
}

/** The rows that a quota limits. */
export interface QuotaKind {
  quota: keyof TeamRecord['quotas'];
  /** In the message, such as `workflows`. */
  plural: string;
  /** Returns those that a team has now. */
  count(team: string): Promise<number>;
}

const active = { $in: workflowStatuses.filter(isActive) };

/** A child counts too; one on the node of its parent is never rejected, because it belongs to a workflow that runs. */
export const runningWorkflows = (stored: Pick<Collection<WorkflowRow>, 'count'>): QuotaKind => ({
  quota: 'runningWorkflows',
  plural: 'workflows',
  count: (owner) => stored.count({ owner, status: active }),
});

export class TeamQuota {
  readonly #scope: QuotaScope;
  readonly #kind: QuotaKind;
  /** By team; at most as many as there are teams. */
  readonly #turns = new Map<string, SerializedChanges>();

  constructor(scope: QuotaScope, kind: QuotaKind) {
    this.#scope = scope;
    this.#kind = kind;
  }

  /** @param begin stores the row that counts @throws NodewrightError TEAM_QUOTA, UNAVAILABLE */
  async run<T>(team: string | undefined, begin: () => Promise<T>): Promise<T> {
    if (team === undefined) return begin();
    const { quota, plural } = this.#kind;
    const limit = (await this.#scope.teams.get(team))?.quotas[quota];
    if (limit === undefined) return begin();
    const turn = this.#turnOf(team);
    return turn.run(async (lease) => {
      const count = await this.#kind.count(team);
      if (count >= limit) throw exceeded(team, `${count} of at most ${limit} ${plural}`);
      await turn.renew(lease);
      return begin();
    });
  }

  #turnOf(team: string): SerializedChanges {
    const lease = `team ${team} ${this.#kind.quota}`;
    const turn = this.#turns.get(team) ?? new SerializedChanges(this.#scope.leases, lease, `the team ${team}`);
    this.#turns.set(team, turn);
    return turn;
  }
}

const exceeded = (team: string, number: string) =>
  new NodewrightError('TEAM_QUOTA', `the team ${team} runs ${number}; wait for one to end, or ask for a larger quota`);
