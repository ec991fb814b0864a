/** Pollers as tasks of RackHD ask for them: `{ type, pollInterval, config: { command } }`. */
import type { Pollers } from '../../api-port/pollers.ts';
import { pollerCommands } from '../../define/node.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';

export interface WantedPoller {
  type: string;
  pollInterval?: number;
  command: string;
}

/** Creates a poller of the node, unless it has one of this command. @returns whether there is such a poller now */
export async function addPoller(pollers: Pick<Pollers, 'create'>, node: string, wanted: WantedPoller) {
  const { type, command, pollInterval } = wanted;
  if (type !== 'ipmi' && type !== 'redfish') return false;
  const commands = pollerCommands[type];
  if (!isOneOf<(typeof commands)[number]>(commands, command)) return false;
  try {
    await pollers.create({ type, node, config: { command }, ...(pollInterval !== undefined && { pollInterval }) });
  } catch (error) {
    if (!(error instanceof NodewrightError) || error.code !== 'DUPLICATE') throw error;
  }
  return true;
}
