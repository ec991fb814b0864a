/** The engine in a separate process, to be killed. It prints `ready`, then takes one JSON command per line. */
import { createInterface } from 'node:readline';
import type { NewSku } from '../../../engine/api-port/index.ts';
import { TestEngine } from './engine.ts';

interface Command {
  graphs?: object[];
  launch?: { name: string; options: Record<string, unknown>; nodeId: string | null };
  /** The workflow to cancel. */
  cancel?: string;
  notify?: { parameters: Record<string, unknown>; nodeId: string };
  /** Nodes to create, each with this catalog. */
  nodes?: { count: number; source: string; data: Record<string, unknown> };
  sku?: NewSku;
}

const it = await new TestEngine(process.argv[2] as string, {}).open();
const say = (answer: unknown) => process.stdout.write(`${JSON.stringify(answer)}\n`);
say({ ready: true });

for await (const line of createInterface({ input: process.stdin })) {
  const { graphs = [], launch, notify, nodes, sku, cancel } = JSON.parse(line) as Command;
  for (const graph of graphs) await it.engine.library.putGraph(graph as Record<string, unknown>);
  for (let n = 0; n < (nodes?.count ?? 0); n += 1) {
    const { id } = await it.engine.nodes.create({ type: 'compute', name: `node ${n}` });
    await it.engine.catalogs.add(id, nodes?.source ?? '', nodes?.data ?? {});
  }
  if (cancel !== undefined) await it.engine.control.cancel(cancel);
  if (sku !== undefined) say({ id: (await it.engine.skus.create(sku)).id });
  else if (launch !== undefined) say({ id: (await it.engine.launches.launch(launch)).id });
  else if (notify !== undefined)
    say({ notified: await it.engine.notifications.notify(notify.parameters, notify.nodeId) });
  else say({ done: true });
}
