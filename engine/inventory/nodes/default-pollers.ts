/** Pollers as tasks of RackHD ask for them: `{ type, pollInterval, config: { command } }`. */
import type { Pollers } from '../../api-port/pollers.ts';
import { isPollerKind, snmpMetrics } from '../../define/node.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';

export interface WantedPoller {
  type: string;
  pollInterval?: number;
  command: string;
}

/** Creates a poller of the node, unless it has one of this command. @returns whether there is such a poller now */
export async function addPoller(pollers: Pick<Pollers, 'create' | 'list'>, node: string, wanted: WantedPoller) {
  const { pollInterval } = wanted;
  if (!isPollerKind(wanted)) return false;
  if (wanted.type === 'snmp') return addMetric(pollers, node, wanted);
  const { type, command } = wanted;
  try {
    await pollers.create({ type, node, config: { command }, ...(pollInterval !== undefined && { pollInterval }) });
  } catch (error) {
    if (!(error instanceof NodewrightError) || error.code !== 'DUPLICATE') throw error;
  }
  return true;
}

const POLLERS_OF_NODE = 1_000;

/** A metric of RackHD is a poller of its objects. */
async function addMetric(
  pollers: Pick<Pollers, 'create' | 'list'>,
  node: string,
  { command, pollInterval }: WantedPoller,
) {
  const { [command]: oids = [] } = snmpMetrics;
  const { items } = await pollers.list({ filter: { node, type: 'snmp' }, skip: 0, limit: POLLERS_OF_NODE });
  if (items.some(({ config }) => JSON.stringify(config.oids) === JSON.stringify(oids))) return true;
  const rate = pollInterval !== undefined && { pollInterval };
  await pollers.create({ type: 'snmp', node, config: { oids: [...oids] }, ...rate });
  return true;
}
