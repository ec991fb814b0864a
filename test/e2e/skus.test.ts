/** SKUs with several daemons: they share the regeneration, and it continues when the daemon that runs it dies. */
import { setTimeout } from 'node:timers/promises';
import type { EventPayload } from '../../engine/vocabulary/event.ts';
import { needing } from '../support/ava/needs.ts';
import type { DaemonProcess } from '../support/servers/daemon.ts';
import { noFleet, startFleet } from '../support/servers/fleet.ts';
import { listenOn, once } from '../support/servers/hearing.ts';

const NODE_COUNT = 120;
const CONCURRENT_CHANGES = 10;

async function nodeWith({ api }: DaemonProcess, n: number): Promise<string> {
  const { body } = await api('POST', '/nodes', { type: 'compute', name: `node ${n}` });
  await api('POST', `/nodes/${body.id}/catalogs`, { source: 'dmi', data: { kind: n % 2 === 0 ? 'even' : 'odd' } });
  return body.id;
}

const rules = (kind: string) => [{ path: 'dmi.kind', equals: kind }];

needing(noFleet).serial(
  'a regeneration continues when its daemon dies, and every assignment change is published under one id',
  async (t) => {
    const { daemons, rabbitmq } = await startFleet(t, 2);
    const [dying, heir] = daemons as [DaemonProcess, DaemonProcess];
    const heard = await listenOn(t, rabbitmq.url);
    const ids: string[] = [];
    for (let n = 0; n < NODE_COUNT; n += CONCURRENT_CHANGES) {
      const group = Array.from({ length: CONCURRENT_CHANGES }, (_, at) =>
        nodeWith(at % 2 === 0 ? dying : heir, n + at),
      );
      ids.push(...(await Promise.all(group)));
    }
    const { status, body: even } = await dying.api('POST', '/skus', { name: 'even', rules: rules('even') });
    t.is(status, 201);
    const { body: odd } = await dying.api('POST', '/skus', { name: 'odd', rules: rules('odd') });
    const moves = () =>
      once(heard.all)
        .map(({ body }) => body as unknown as EventPayload)
        .filter(({ action }) => action === 'sku.assigned');
    await heard.until(() => moves().length > 5);
    await dying.kill('SIGKILL');
    await heard.until(() => new Set(moves().map(({ nodeId }) => nodeId)).size === NODE_COUNT);
    t.is(moves().length, NODE_COUNT);
    t.deepEqual([...new Set(moves().map(({ data }) => data.newSku))].sort(), [even.id, odd.id].sort());
    for (const sku of [even, odd]) {
      const { body } = await heir.api('GET', `/skus/${sku.id}/nodes`);
      t.is(body.length, NODE_COUNT / 2);
    }
    const through = () => once(heard.all).some(({ body }) => isThrough(body as unknown as EventPayload));
    while (!through()) await setTimeout(50);
    t.is((await heir.api('POST', '/skus/match', { nodeId: ids[0] })).body.sku, even.id);
  },
);

/** The second SKU came with the third and the fourth generation. */
const isThrough = ({ action, typeId, data }: EventPayload): boolean =>
  action === 'skus.progress.updated' && typeId === '4' && data.status === 'succeeded';
