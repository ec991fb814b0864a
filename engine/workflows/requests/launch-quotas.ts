/**
 * LaunchQuotas: how many workflows run at the same time on the nodes of a team.
 *
 * 1. They are counted in their rows, by the index of owners: there is no counter that a crash could leave wrong. A child counts too;
 *    one on the node of its parent is never rejected, because it belongs to a workflow that runs.
 * 2. Of the launches for a team with a quota one claims its node at a time, over all processes, and each sees the rows of those before.
 *
 * If the process dies
 * - before it claims the node: nothing has begun, and nothing counts;
 * - after that: the workflow begins, and counts from its row on. Until another process notices the death, launches for this team are
 *   answered 503.
 */
import type { TeamRecord } from '../../api-port/teams.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { Leases } from '../../platform/cluster/leases.ts';
import { SerializedChanges } from '../../platform/cluster/serialized-changes.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isActive, workflowStatuses } from '../../vocabulary/states.ts';

interface QuotaReads {
  leases: Leases;
  teams: { get(name: string): Promise<Pick<TeamRecord, 'quotas'> | undefined> };
  storedWorkflows: Pick<Collection<WorkflowRow>, 'count'>;
}

const active = { $in: workflowStatuses.filter(isActive) };

export class LaunchQuotas {
  readonly #port: QuotaReads;
  /** By team; at most as many as there are teams. */
  readonly #turns = new Map<string, SerializedChanges>();

  constructor(port: QuotaReads) {
    this.#port = port;
  }

  /** @param claim takes the node @throws NodewrightError TEAM_QUOTA, UNAVAILABLE */
  async run<T>(team: string | undefined, claim: () => Promise<T>): Promise<T> {
    if (team === undefined) return claim();
    const limit = (await this.#port.teams.get(team))?.quotas.runningWorkflows;
    if (limit === undefined) return claim();
    const turn = this.#turnOf(team);
    return turn.run(async (lease) => {
      const count = await this.#port.storedWorkflows.count({ owner: team, status: active });
      if (count >= limit) throw exceeded(team, count, limit);
      await turn.renew(lease);
      return claim();
    });
  }

  #turnOf(team: string): SerializedChanges {
    const turn = this.#turns.get(team) ?? new SerializedChanges(this.#port.leases, `team ${team}`, `the team ${team}`);
    this.#turns.set(team, turn);
    return turn;
  }
}

const exceeded = (team: string, count: number, limit: number) =>
  new NodewrightError(
    'TEAM_QUOTA',
    `the team ${team} runs ${count} of at most ${limit} workflows; wait for one to end, or ask for a larger quota`,
  );
