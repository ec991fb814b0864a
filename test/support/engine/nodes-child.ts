/**
 * Changes nodes in a separate process that never publishes: each change is saved, its events are printed as they would
 * be passed to the outbox, and then it blocks until it is killed. Takes one JSON command with the stores and the
 * change.
 */

import { openAdapters } from '../../../engine/assembly/adapters.ts';
import type { NodewrightError } from '../../../engine/vocabulary/errors.ts';
import { openTestNodes } from './test-nodes.ts';

export interface Changes {
  stores: { dataDir: string; mongodb: string | undefined; redis: string | undefined };
  create: string;
  patch: string;
  untag: string;
  relate: [string, string];
  unrelate: [string, string];
  putObm: string;
  removeObm: string;
  remove: string;
}

const ended = (error: NodewrightError) => {
  throw error;
};
const changes = JSON.parse(process.env.CHANGES as string) as Changes;
const { store } = await openAdapters(changes.stores, { info() {}, warn() {} }, ended);
const { nodes, obms } = await openTestNodes({
  store,
  outbox: {
    publish(publications) {
      console.log(JSON.stringify(publications));
      return new Promise(() => {});
    },
  },
  failed: ended,
});
const { relate, unrelate } = changes;
await Promise.all([
  nodes.create({ type: 'compute', name: changes.create }),
  nodes.update(changes.patch, { name: 'patched' }),
  nodes.untagAll(changes.untag),
  nodes.relate(relate[0], { contains: [relate[1]] }),
  nodes.unrelate(unrelate[0], { contains: [unrelate[1]] }),
  obms.put(changes.putObm, { service: 'noop-obm-service' }),
  obms.remove(changes.removeObm),
  nodes.remove(changes.remove),
]);
