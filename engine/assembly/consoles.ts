/** Opens the serial consoles of machines: their requests, and their capture in this process. */
import type { ObmDrivers } from '../hardware/obm/obm-drivers.ts';
import { Captures, type ConsoleChange } from '../inventory/consoles/captures.ts';
import { ConsoleLog } from '../inventory/consoles/console-log.ts';
import { ConsoleRequests } from '../inventory/consoles/console-requests.ts';
import {
  consoleLinesSpec,
  consoleSpec,
  type StoredConsole,
  type StoredLines,
} from '../inventory/consoles/stored-console.ts';
import { removeFromMissing } from '../inventory/nodes/dependents.ts';
import { existingIn } from '../inventory/nodes/node-requests.ts';
import type { StoredNode } from '../inventory/nodes/stored-node.ts';
import { retention } from '../platform/cluster/retention.ts';
import { cipherOf } from '../platform/secrets/secrets.ts';
import type { Collection } from '../platform/store/port.ts';
import type { Foundation } from './foundation.ts';

export async function openConsoles(
  { config, store, queues, cluster, keys, vault, failedIn }: Foundation,
  obms: ObmDrivers,
  storedNodes: Collection<StoredNode>,
) {
  const log = new ConsoleLog(await store.collection<StoredLines>(consoleLinesSpec), config.consoleLines);
  const failed = failedIn('consoles');
  const shared = {
    stored: await store.collection<StoredConsole>(consoleSpec),
    log,
    obms,
    cluster,
    channel: queues.channel<ConsoleChange>('consoles'),
    cipher: cipherOf(await keys('obms'), 'console inputs'),
  };
  const existingNodes = existingIn(storedNodes);
  return {
    requests: new ConsoleRequests({
      ...shared,
      unlessRemoved: (node, takeBack) => removeFromMissing(existingNodes, [node], takeBack),
    }),
    captures: new Captures({ ...shared, vault, failed }),
    tidying: retention(cluster, {
      name: 'console lines',
      days: config.consoleRetentionDays,
      removeBefore: (before) => log.removeBefore(before),
      failed,
    }),
  };
}
