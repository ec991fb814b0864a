/**
 * Discovery by several daemons, with the real agent on simulated machines and the required keys of their boots. One
 * daemon is killed during it, and machines lose their power: nevertheless every machine is discovered, once.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import anyTest, { type ExecutionContext } from 'ava';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { OwnScope } from '../support/ava/scope.ts';
import { type Agent, pathWithout, startAgent } from '../support/bmcs/agent.ts';
import { withTables } from '../support/bmcs/smbios.ts';
import { ended, lines } from '../support/faults/workload.ts';
import type { DaemonProcess } from '../support/servers/daemon.ts';
import { type Fleet, noFleet, startFleet } from '../support/servers/fleet.ts';
import { type Heard, type Hearing, listenOn } from '../support/servers/hearing.ts';
import { keyIn } from '../support/servers/sender.ts';

const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
const tools = ['dmidecode', 'lsblk', 'curl'];
const missing = tools.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`], { env }).status !== 0);
const noTools = missing.length === 0 ? undefined : `${missing.join(', ')} not installed`;

const servers = new OwnScope();
anyTest.after.always(() => servers.close());

/** One for each daemon. */
const MACHINES = 3;
const SOURCES = ['dmi', 'driveId', 'lsblk', 'ohai'];

interface Machine {
  mac: string;
  node: string;
  /** The index of the daemon that it asks. */
  at: number;
  agent?: Agent;
}

interface Scene extends Fleet {
  heard: Hearing<Heard>;
  ledger: string;
  sku: string;
  /** Where the machines find their tools. */
  path: string;
}

/** Its SKU's graph writes the node that it ran on. */
async function openScene(t: ExecutionContext): Promise<Scene> {
  const fleet = await startFleet(servers, 3, { config: { southboundKeys: 'require' } });
  const heard = await listenOn(t, fleet.rabbitmq.url);
  const ledger = join(folder(t), 'ledger');
  const { api } = fleet.daemons[0] as DaemonProcess;
  const line = { ledger, ms: 100, line: '{{ task.nodeId }} {{ task.instanceId }}' };
  const tasks = [{ label: 'write', taskName: 'Task.Fixture.Write', optionOverrides: line }];
  await api('PUT', '/workflows/graphs', { friendlyName: 'Found', injectableName: 'Graph.Test.Found', tasks });
  const rules = [{ path: 'dmi.System Information.Manufacturer', equals: 'Example Computers' }];
  const { body } = await api('POST', '/skus', { name: 'made up', rules, discoveryGraphName: 'Graph.Test.Found' });
  // lshw takes seconds of the processor for each machine.
  return { ...fleet, heard, ledger, sku: body.id, path: withTables(t, pathWithout(t, 'lshw', 'ipmitool')) };
}

/**
 * A machine asks all daemons at the same time, as machines with several interfaces do. @returns its node, as each answering
 * daemon names it
 */
async function arrive({ mac }: Machine, daemons: readonly DaemonProcess[]): Promise<string[]> {
  const asked = daemons.map(({ southbound }) => southbound('GET', `/profiles?macs=${mac}`));
  const told = (await Promise.allSettled(asked)).map((one) => (one.status === 'fulfilled' ? one.value.body : ''));
  return told.flatMap((script) => /nodewright\.node=(\S+)/.exec(script)?.[1] ?? []);
}

async function switchOn(t: ExecutionContext, { daemons, path }: Scene, machine: Machine, at: number): Promise<void> {
  const { body } = await (daemons[at] as DaemonProcess).southbound('GET', `/profiles?macs=${machine.mac}`);
  const port = Number(/http:\/\/127\.0\.0\.1:(\d+)\//.exec(body)?.[1]);
  machine.at = at;
  const key = keyIn(body);
  machine.agent = startAgent(t, port, machine.node, { env: { PATH: path }, ...(key !== undefined && { key }) });
}

const discoveredOf = (heard: readonly Heard[], node: string) =>
  heard.filter(({ key }) => key === `node.discovered.information.${node}.${node}`);

/** The moment of the daemon's death: resolves at some time of the discoveries. */
type Moment = (scene: Scene, machines: readonly Machine[], daemon: DaemonProcess) => Promise<unknown>;

/** While machines register. */
const arriving = undefined;

/** When the catalogs of the first machine are collected. */
const collected: Moment = async (_, machines, { api }) => {
  for (;;) {
    for (const { node } of machines) if ((await api('GET', `/nodes/${node}/catalogs/dmi`)).status === 200) return;
    await setTimeout(100);
  }
};

/** When the first machine is discovered. */
const discovered: Moment = ({ heard }, machines) =>
  heard.until((all) => machines.some(({ node }) => discoveredOf(all, node).length > 0));

async function discover(t: ExecutionContext, scene: Scene, killed: number, moment?: Moment): Promise<Machine[]> {
  const machines = Array.from(
    { length: MACHINES },
    (_, n): Machine => ({ mac: macOf(killed, n), node: '', at: n % 3 }),
  );
  const alive = [0, 1, 2].filter((n) => n !== killed);
  const [victim, steady] = [killed, alive[0] as number].map((n) => scene.daemons[n]) as [DaemonProcess, DaemonProcess];
  const arrivals = machines.map((machine) => arrive(machine, scene.daemons));
  if (moment === undefined) {
    await Promise.race(arrivals);
    await victim.kill('SIGKILL');
  }
  for (const [n, told] of (await Promise.all(arrivals)).entries()) {
    const machine = machines[n] as Machine;
    await arrive(machine, [steady]);
    machine.node = (await steady.api('GET', `/nodes/${machine.mac}`)).body.id;
    t.true(
      told.every((node) => node === machine.node),
      `${machine.mac}: ${told}`,
    );
  }
  const over = (n: number) => alive[n % alive.length] as number;
  for (const [n, one] of machines.entries()) await switchOn(t, scene, one, moment ? one.at : over(n));
  if (moment !== undefined) {
    await moment(scene, machines, steady);
    await victim.kill('SIGKILL');
    const done = machines.filter(({ node }) => discoveredOf(scene.heard.all, node).length > 0);
    t.log(`a daemon died when ${done.length} of ${machines.length} were discovered`);
  }
  // The machines of the daemon that died, and one more.
  const dark = machines.filter(({ at }, n) => at === killed || n === alive[1]);
  await Promise.all(dark.map(({ agent }) => agent?.kill()));
  for (const [n, one] of dark.entries()) await switchOn(t, scene, one, over(n));
  for (const { node } of machines) await discoveredOnce(t, scene, steady, node);
  await Promise.all(machines.map(({ agent }) => agent?.kill()));
  await victim.start();
  return machines;
}

const macOf = (round: number, n: number) => `02:ee:00:00:0${round}:0${n}`;

async function discoveredOnce(t: ExecutionContext, scene: Scene, daemon: DaemonProcess, node: string): Promise<void> {
  const workflows = async () =>
    (await daemon.api('GET', `/nodes/${node}/workflows?sort=createdAt`)).body as {
      id: string;
      injectableName: string;
    }[];
  const names = (all: readonly { injectableName: string }[]) => all.map(({ injectableName }) => injectableName);
  t.is((await ended(daemon, (await workflows())[0]?.id as string)).status, 'succeeded');
  const all = await workflows();
  t.deepEqual(names(all), ['Graph.SKU.Discovery', 'Graph.Test.Found']);
  t.is((await ended(daemon, all[1]?.id as string)).status, 'succeeded');
  const record = (await daemon.api('GET', `/nodes/${node}`)).body;
  t.is(record.sku, scene.sku);
  t.is(record.error, undefined);
  const sources = (await daemon.api('GET', `/nodes/${node}/catalogs`)).body as { source: string }[];
  const catalogSources = sources.map(({ source }) => source);
  t.is(new Set(catalogSources).size, catalogSources.length);
  // Other tools of this machine add more.
  t.deepEqual(
    SOURCES.filter((name) => !catalogSources.includes(name)),
    [],
  );
  const told = discoveredOf(await scene.heard.until((heard) => discoveredOf(heard, node).length > 0), node);
  t.is(new Set(told.map(({ id }) => id)).size, 1);
  const ran = (await lines(scene.ledger)).filter((line) => line.startsWith(node));
  t.is(new Set(ran).size, 1, 'an activity that died may write its line once more');
}

needing(noFleet ?? noTools).serial(
  'after a kill of one of several daemons at any time, and power losses, each machine is discovered once',
  async (t) => {
    const scene = await openScene(t);
    const all: Machine[] = [];
    for (const [n, moment] of [arriving, collected, discovered].entries()) {
      all.push(...(await discover(t, scene, n, moment)));
    }
    for (const { node } of all) t.is(new Set(discoveredOf(scene.heard.all, node).map(({ id }) => id)).size, 1);
  },
);
