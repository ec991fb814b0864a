/** The periodic work for the health of nodes: reports end, and agents that were seen are reported. */
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { now } from '../../platform/lib/clock.ts';
import { groups, pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { MINUTE_MS } from '../../vocabulary/units.ts';
import type { AgentSighting } from '../agents/agent-sightings.ts';
import type { HealthRequests } from './health-requests.ts';
import { endAfterPeriod } from './report-times.ts';

const ENDED_INTERVAL_MS = 5_000;
const AGENTS_INTERVAL_MS = MINUTE_MS;
/** Sightings are stored within ten seconds. */
const SEEN_MS = 2 * AGENTS_INTERVAL_MS;
/** The report on an agent that is silent ends within twice this time. */
const PERIOD_MS = 5 * MINUTE_MS;
const NODES_PER_GROUP = 100;

export interface HealthWorkScope {
  cluster: Pick<Cluster, 'reconciler'>;
  health: Pick<HealthRequests, 'report' | 'removeEnded'>;
  sightings: Pick<Collection<AgentSighting>, 'find'>;
  failed(error: unknown): void;
}

/**
 * Reports the agents that were seen just now. A silent agent is no fault: it lives in the microkernel, and is gone when
 * the machine boots its own system.
 */
export async function reportAgents({ sightings, health }: HealthWorkScope, goesOn: () => Promise<boolean>) {
  const sighted = pages(sightings, { version: { $gte: now() - SEEN_MS } });
  const until = endAfterPeriod(PERIOD_MS);
  for await (const group of groups(sighted, NODES_PER_GROUP)) {
    if (!(await goesOn())) return;
    await Promise.all(
      group.map(({ id, address }) => {
        const report = { state: 'ok' as const, message: `the agent at ${address} answers`, until };
        return health.report({ node: id, changes: [{ source: 'agent', key: '', report }] });
      }),
    );
  }
}

export function healthReconcilers(port: HealthWorkScope) {
  const { cluster, health, failed } = port;
  return [
    cluster.reconciler({
      name: 'health',
      everyMs: ENDED_INTERVAL_MS,
      pass: ({ goesOn }) => health.removeEnded(goesOn),
      failed,
    }),
    cluster.reconciler({
      name: 'agents seen',
      everyMs: AGENTS_INTERVAL_MS,
      pass: ({ goesOn }) => reportAgents(port, goesOn),
      failed,
    }),
  ];
}
