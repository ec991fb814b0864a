/** A daemon and a rack of twins in this process, under virtual time. */
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createApp } from '../../../api/endpoint/app.ts';
import { BMC_PORT, obmOfMachine } from '../../../api/story/story-machine.ts';
import { modelNamed } from '../../../api/story/story-model.ts';
import { memoryDefinitions } from '../../../engine/assembly/memory-definitions.ts';
import type { MemoryNetwork } from '../../../engine/assembly/virtual/memory-network.ts';
import { inDaemon, inVirtualProcess } from '../../../engine/assembly/virtual/virtual-process.ts';
import type { VirtualTime } from '../../../engine/assembly/virtual/virtual-time.ts';
import { VirtualWorld, type WorldDaemon } from '../../../engine/assembly/virtual-world.ts';
import { MachineBmc } from '../../../engine/hardware/twin/bmc/bmc.ts';
import { answerByHttp } from '../../../engine/hardware/twin/bmc/http-answer.ts';
import { FaultsAtWork } from '../../../engine/hardware/twin/faults/faults-at-work.ts';
import { FieldTime } from '../../../engine/hardware/twin/machine/field-time.ts';
import { TwinMachines } from '../../../engine/hardware/twin/twin-machines.ts';
import { includedDefinitions } from '../../../engine/kit/definition-files.ts';
import { SeededRandom } from '../../../engine/platform/lib/seeded-random.ts';
import { undici } from '../../../engine/platform/lib/undici.ts';
import { HOUR_MS } from '../../../engine/vocabulary/units.ts';

const BEGIN = Date.UTC(2026, 0, 1);
const SOUTH = 'http://127.0.0.1:9080';
const FILE_BYTES = 1_000_000;
const DAEMON = 'daemon';
const DISCOVERY_MS = 6 * HOUR_MS;

type Engine = WorldDaemon['engine'];

export interface VirtualRack {
  engine: Engine;
  /** Ids of the discovered nodes, by the names of their machines. */
  nodes: ReadonlyMap<string, string>;
  /** Machines whose BMCs ignore a reset. */
  deaf: Set<string>;
  /** Work of the daemon, as of a request that has just arrived there. */
  ask<T>(work: () => Promise<T>): Promise<T>;
  /** Lets time pass until then. */
  until(condition: () => Promise<boolean>): Promise<void>;
}

/** @param graph name of an included graph that the daemon has besides the others */
export async function onVirtualRack(
  { nodes: count, graph: name }: { nodes: number; graph: string },
  use: (rack: VirtualRack) => Promise<void>,
): Promise<void> {
  const graph = (await includedDefinitions()).graphs.get(name);
  if (graph === undefined) throw new Error(`there is no graph ${name}`);
  const definitions = await memoryDefinitions(graph);
  // Loading it takes real time.
  await undici();
  const dataDir = mkdtempSync(join(tmpdir(), 'nodewright-rack-'));
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  try {
    await inVirtualProcess(BEGIN, new SeededRandom('identity'), async ({ time, network }) => {
      const random = new SeededRandom('world');
      const faults = { slow: 0, slowMs: 0, lost: 0, full: 0 };
      const config = { heartbeatIntervalSec: 0, httpEndpoints: [{ port: 9_080, routers: 'southbound-api-router' }] };
      const world = new VirtualWorld({ time, random, faults, definitions, dataDir, config, called: () => {} } as never);
      const link = world.link(DAEMON);
      const ask = <T>(work: () => Promise<T>) => inDaemon(time, DAEMON, work);
      const { engine } = await ask(() => world.start(DAEMON, undefined, () => {}, link));
      const [endpoint] = engine.config.httpEndpoints;
      const answer = createApp(engine, endpoint as never, pino({ level: 'silent' }), undefined, stop.signal).callback();
      network.listen(new URL(SOUTH).host, (request, response) => void answer(request, response));
      const deaf = new Set<string>();
      const machines = switchedOn(count, network, deaf);
      time.add(0, () => machines.start({ events: [], passed: async () => {} }), 'machines');
      const nodes = new Map<string, string>();
      const until = async (condition: () => Promise<boolean>) => {
        while (!(await ask(condition))) await time.run(passing(time, LOOK_MS));
      };
      const first = time.now;
      await until(async () => {
        const { items } = await engine.workflows.list({ skip: 0, limit: 1_000, filter: { status: 'succeeded' } });
        if (time.now - first > DISCOVERY_MS) throw new Error(`${items.length} of ${count} machines were discovered`);
        return items.length >= count;
      });
      for (const machine of machines.machines) {
        const { node } = machine.state;
        if (node === undefined) throw new Error(`${machine.name} was not discovered`);
        await ask(() => engine.obms.put(node, obmOfMachine(machine)));
        nodes.set(machine.name, node);
      }
      await use({ engine, nodes, deaf, ask, until });
      stop.abort();
      void machines.stop();
      await time.run(passing(time, 0));
      world.kill(link);
    });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const LOOK_MS = 1_000;

const passing = (time: VirtualTime, ms: number) => {
  const last = time.now + ms;
  return () => time.now >= last;
};

function switchedOn(count: number, network: MemoryNetwork, deaf: ReadonlySet<string>): TwinMachines {
  const models = ['dell-r650', 'hpe-dl360-gen11', 'lenovo-sr650'].map(modelNamed);
  const takes = (name: string, kind: string) => kind === 'reset ignored' && deaf.has(name);
  const faults = Object.assign(new FaultsAtWork({ timed: [], rated: [] }, 1, () => 0), { takes });
  const machines = new TwinMachines(
    { seed: 1, nodes: count, models, startsOn: true, ipmi: 0 },
    {
      time: FieldTime.from(1),
      leastPauseMs: 0,
      faults: faults as FaultsAtWork,
      async ask(machine, asking, signal) {
        const url = new URL(asking.url, SOUTH);
        // Other servers have every file.
        if (!network.has(url)) return { status: 200, text: '', length: FILE_BYTES };
        return network.ask(url, machine.addressOf(asking), asking, signal);
      },
      save: async () => {},
      alert: () => {},
      registered: () => {},
      tell: () => {},
    },
  );
  machines.machines.forEach((machine, index) => {
    const model = models[index % models.length];
    if (model === undefined) throw new Error('a machine has a model');
    const service = { model, bmc: new MachineBmc(machine, { port: BMC_PORT, anyAddress: true }) };
    network.listen(`${machine.facts.bmcAddress}:${BMC_PORT}`, (request, response) =>
      answerByHttp(service, request, response),
    );
  });
  return machines;
}
