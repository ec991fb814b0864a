/** Reports whether the BMCs of nodes answer, by the circuits of this process (`hardware/obm/bmc-gates.ts`). */
import type { HostCircuit } from '../../hardware/obm/bmc-gates.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import type { HealthRequests } from './health-requests.ts';
import { endAfterPeriod } from './report-times.ts';

/** The report on a BMC that gets no commands any more ends within a day. */
const PERIOD_MS = 12 * HOUR_MS;

/** Returns the nodes by the host of their BMC. */
interface NodesOfBmcs {
  at(hosts: readonly string[]): Promise<ReadonlyMap<string, readonly { id: string }[]>>;
}

export const bmcReports =
  (owners: NodesOfBmcs, { report }: Pick<HealthRequests, 'report'>) =>
  async (circuits: readonly HostCircuit[]): Promise<void> => {
    const nodes = await owners.at(circuits.map(({ host }) => host));
    const until = endAfterPeriod(PERIOD_MS);
    const reports = circuits.flatMap(({ host, isOpen }) => {
      const said = isOpen
        ? ({ state: 'critical', message: `the BMC at ${host} does not answer`, until } as const)
        : ({ state: 'ok', message: `the BMC at ${host} answers`, until } as const);
      return (nodes.get(host) ?? []).map(({ id }) =>
        report({ node: id, changes: [{ source: 'bmc', key: host, report: said }] }),
      );
    });
    await Promise.all(reports);
  };
