/** The consoles of a fake engine, whose nodes have no obm: none is captured. */
import { ObmError } from '../../../engine/define/obm.ts';
import { ConsoleLog } from '../../../engine/inventory/consoles/console-log.ts';
import { ConsoleRequests } from '../../../engine/inventory/consoles/console-requests.ts';
import {
  consoleLinesSpec,
  consoleSpec,
  type StoredConsole,
  type StoredLines,
} from '../../../engine/inventory/consoles/stored-console.ts';
import { singleNodeCluster } from '../../../engine/platform/cluster/cluster.ts';
import { localChannels } from '../../../engine/platform/queue/channel.ts';
import { cipherOf } from '../../../engine/platform/secrets/secrets.ts';
import type { MemoryStore } from './memory-store.ts';

/** @param lines that are kept of a node */
export const noConsoles = async (store: MemoryStore, lines: number): Promise<ConsoleRequests> =>
  new ConsoleRequests({
    stored: await store.collection<StoredConsole>(consoleSpec),
    log: new ConsoleLog(await store.collection<StoredLines>(consoleLinesSpec), lines),
    channel: localChannels(() => {}).channel('consoles'),
    obms: {
      serial: async (node) => {
        throw new ObmError('OBM_MISSING', `the node ${node} has no obm`);
      },
    },
    cluster: singleNodeCluster('fake'),
    cipher: cipherOf(['secret'], 'console inputs'),
    unlessRemoved: async () => {},
  });
