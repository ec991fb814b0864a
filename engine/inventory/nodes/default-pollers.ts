/** Pollers as tasks of RackHD ask for them: `{ type, pollInterval, config: { command } }`. */
import type { NewPoller, Pollers } from '../../api-port/pollers.ts';
import { type PollerKind, pollerKindsFor, snmpMetrics } from '../../define/node.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';

export interface WantedPoller {
  type: string;
  pollInterval?: number;
  command: string;
}

/** Creates the pollers of the node that read what is wanted, unless it has them. @returns whether there are such pollers */
export async function addPoller(
  pollers: Pick<Pollers, 'create' | 'list'>,
  node: string,
  { pollInterval, ...wanted }: WantedPoller,
): Promise<boolean> {
  const rate = pollInterval === undefined ? {} : { pollInterval };
  const kinds = pollerKindsFor(wanted);
  for (const kind of kinds) await (kind.type === 'snmp' ? addMetric : addOfBmc)(pollers, node, kind, rate);
  return kinds.length > 0;
}

type Rate = Pick<NewPoller, 'pollInterval'>;

async function addOfBmc(pollers: Pick<Pollers, 'create'>, node: string, { type, command }: PollerKind, rate: Rate) {
  try {
    await pollers.create({ type, node, config: { command }, ...rate } as NewPoller);
  } catch (error) {
    if (!(error instanceof NodewrightError) || error.code !== 'DUPLICATE') throw error;
  }
}

const POLLERS_OF_NODE = 1_000;

/** A metric of RackHD is a poller of its objects. */
async function addMetric(pollers: Pick<Pollers, 'create' | 'list'>, node: string, { command }: PollerKind, rate: Rate) {
  const { [command]: oids = [] } = snmpMetrics;
  const { items } = await pollers.list({ filter: { node, type: 'snmp' }, skip: 0, limit: POLLERS_OF_NODE });
  if (items.some(({ config }) => JSON.stringify(config.oids) === JSON.stringify(oids))) return;
  await pollers.create({ type: 'snmp', node, config: { oids: [...oids] }, ...rate });
}
