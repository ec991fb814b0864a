/** Rules under two daemons on one store, under virtual time: each event is acted on once, also if one daemon dies. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { memoryDefinitions } from '../../../../engine/assembly/memory-definitions.ts';
import { inDaemon, inVirtualProcess } from '../../../../engine/assembly/virtual/virtual-process.ts';
import { VirtualWorld } from '../../../../engine/assembly/virtual-world.ts';
import { includedDefinitions } from '../../../../engine/kit/definition-files.ts';
import type { Graph } from '../../../../engine/library/types.ts';
import { SeededRandom } from '../../../../engine/platform/lib/seeded-random.ts';
import { undici } from '../../../../engine/platform/lib/undici.ts';

const FOLLOWED_FROM = Date.UTC(2026, 0, 1);
const LAUNCHED_GRAPH = 'Graph.noop-example';
const RENAMED_NODES = 8;
const whole = { skip: 0, limit: 100 };

test.serial('each event is acted on once, by whichever of two daemons, one of which dies', async (t) => {
  const definitions = await memoryDefinitions((await includedDefinitions()).graphs.get(LAUNCHED_GRAPH) as Graph);
  // Loading it takes real time.
  await undici();
  const dataDir = mkdtempSync(join(tmpdir(), 'nodewright-rules-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  await inVirtualProcess(FOLLOWED_FROM, new SeededRandom('identity'), async ({ time }) => {
    const faults = { slow: 0.1, slowMs: 30, lost: 0.05, full: 0 };
    const config = { heartbeatIntervalSec: 0 };
    const random = new SeededRandom('world');
    const world = new VirtualWorld({ time, random, faults, definitions, dataDir, config, called: () => {} });
    const start = async (id: string) => {
      const link = world.link(id);
      const { engine } = await inDaemon(time, id, () => world.start(id, undefined, () => {}, link));
      return { engine, link, ask: <T>(work: () => Promise<T>) => inDaemon(time, id, work) };
    };
    const [one, other] = [await start('one'), await start('other')];
    const { id: rule } = await one.ask(() =>
      one.engine.rules.create({
        name: 'updated',
        on: { type: '^node$', action: '^updated$' },
        launch: { name: LAUNCHED_GRAPH },
        limits: { perHour: 100 },
      }),
    );
    await other.ask(() => other.engine.rules.change(rule, { enabled: true }));
    const nodes: string[] = [];
    for (let n = 0; n < RENAMED_NODES; n += 1)
      nodes.push((await one.ask(() => one.engine.nodes.create({ type: 'compute', name: `n${n}` }))).id);
    for (const [n, node] of nodes.entries()) {
      const daemon = n % 2 === 1 || n > RENAMED_NODES / 2 ? other : one;
      await daemon.ask(() => daemon.engine.nodes.update(node, { name: `renamed ${n}` }));
      if (n === RENAMED_NODES / 2) world.kill(one.link);
    }
    const runs = async () => (await other.engine.rules.runs(rule, { ...whole, filter: { status: 'started' } }))?.items;
    const passing = (ms: number) => {
      const last = time.now + ms;
      return time.run(() => time.now >= last);
    };
    for (let minutes = 0; ((await other.ask(runs)) ?? []).length < RENAMED_NODES; minutes += 1) {
      t.true(minutes < 30, 'the other daemon follows the log');
      await passing(60_000);
    }
    // A second run of an event would come now.
    await passing(300_000);
    const begun = (await other.ask(runs)) ?? [];
    t.deepEqual(begun.map(({ node }) => node).sort(), nodes.toSorted());
    t.is(new Set(begun.map(({ event }) => event)).size, RENAMED_NODES);
    const { items } = await other.ask(() => other.engine.workflows.list({ ...whole, filter: { rule } }));
    t.deepEqual(items.map(({ id }) => id).sort(), begun.map(({ workflow }) => workflow as string).sort());
    world.kill(other.link);
  });
});
