/** A daemon and a twin with one machine for each graph, which discovers itself. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { switchModels } from '../../engine/hardware/twin/read-model.ts';
import { folder } from '../support/ava/folder.ts';
import type { Scope } from '../support/ava/scope.ts';
import { racadmEnvironment } from '../support/bmcs/racadm.ts';
import { type CommandLine, commandLine } from '../support/console/command-line.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { freePort } from '../support/servers/server.ts';
import { startSource } from '../support/servers/source.ts';
import { type BmcAccess, conditions, exampleFiles, MODEL } from './conditions.ts';
import { type OutsideServices, startOutsideServices } from './outside-services.ts';
import type { StockGraph } from './stock-graphs.ts';
import { StockMachine } from './stock-machine.ts';

export interface StockScene {
  daemon: DaemonProcess;
  nw: CommandLine;
  /** The URL of the server that has the files of the examples. */
  files: string;
  outside: OutsideServices;
  /** Starts the machines, in the order of the graphs. Those with IPMI are the last ones. */
  machines(graphs: readonly StockGraph[]): Promise<StockMachine[]>;
}

/** Quick enough that an installation takes two seconds, and slow enough that a BMC has a session for as long as a request. */
const SPEED = 600;

export async function stockScene(scope: Scope): Promise<StockScene> {
  const outside = await startOutsideServices(scope);
  const onNetwork = { url: outside.url, username: 'admin', password: 'secret' };
  const daemon = await startDaemonProcess(scope, {
    config: { env: { onNetwork } },
    env: racadmEnvironment(scope),
  });
  const nw = commandLine(scope, daemon);
  const source = await startSource(exampleFiles);
  scope.teardown(() => source.close());
  return { daemon, nw, files: source.url, outside, machines: (graphs) => machinesOf(scope, daemon, nw, graphs) };
}

async function machinesOf(
  scope: Scope,
  daemon: DaemonProcess,
  nw: CommandLine,
  graphs: readonly StockGraph[],
): Promise<StockMachine[]> {
  const home = folder(scope);
  const ipmi = graphs.filter(({ name }) => conditions[name]?.isIpmi === true).length;
  return twinOf(daemon, nw, { home, models: graphs.map((graph) => modelOf(graph, home)), ipmi });
}

interface TwinOptions {
  /** For its files. */
  home: string;
  /** For each machine the name of a model, or a file. */
  models: readonly string[];
  /** How many of the last ones speak IPMI. */
  ipmi: number;
}

/** Starts a twin whose machines discover themselves. */
export async function twinOf(daemon: DaemonProcess, nw: CommandLine, { home, models: names, ipmi }: TwinOptions) {
  const data = join(home, 'twin');
  const models = join(home, 'models.json');
  writeFileSync(models, JSON.stringify(names));
  const words = { data, models, nodes: names.length, ipmi, speed: SPEED, south: daemon.southboundUrl('') };
  const options = Object.entries({ ...words, port: await freePort() }).flatMap(([name, word]) => [
    `--${name}`,
    String(word),
  ]);
  const twin = nw.start('twin', ...options);
  const hasEnded = twin.ended.then(({ stderr }) => Promise.reject(new Error(`the twin ended: ${stderr}`)));
  hasEnded.catch(() => {}); // it is killed when the scope ends
  await Promise.race([hasEnded, twin.stdout.until((all) => all.some((text) => text.includes('machines, seed')))]);
  return accesses(data).map(({ name, ...bmc }) => new StockMachine(daemon, data, name, bmc));
}

/** @returns the name of the model, or of its file in the folder */
function modelOf({ name }: StockGraph, home: string): string {
  const { model = MODEL, switchVendor } = conditions[name] ?? {};
  if (switchVendor === undefined) return model;
  const file = join(home, `${switchVendor}.json`);
  const [base] = switchModels().values();
  const vendorModel = { ...base, name: `switch-${switchVendor}`, switch: { vendor: switchVendor, version: '4.30.1F' } };
  writeFileSync(file, JSON.stringify(vendorModel));
  return file;
}

function accesses(data: string): ({ name: string } & BmcAccess)[] {
  const list = JSON.parse(readFileSync(join(data, 'machines.json'), 'utf8')) as {
    name: string;
    bmc: string;
    user: string;
    password: string;
  }[];
  return list.map(({ name, bmc: url, user, password }) => ({ name, url, user, password }));
}
