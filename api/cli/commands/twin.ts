/** `nw twin`: servers without hardware for a daemon on this host. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { Client } from '../client.ts';
import { addressing, addressOf, type ConnectionOptions } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { signalToStop } from '../on-signals.ts';
import { count, position } from '../option-values.ts';

interface TwinFlags extends Omit<ConnectionOptions, 'output'> {
  nodes?: number;
  models?: string;
  faults?: string;
  seed?: number;
  speed: number;
  ipmi: number;
  power: 'on' | 'off';
  racks: boolean;
  south?: string;
  data: string;
  port: number;
  namespace: boolean;
  besideOthers: boolean;
}

export function addTwinCommand(root: Command): void {
  addressing(root.command('twin'))
    .description('simulates servers with BMCs, boots, agents, drives and faults for a daemon on this host')
    .option('--nodes <number>', 'machines; by default 10, or as in the folder', machineCount)
    .option('--models <file>', 'JSON list of models: names of those that ship, or files; by default all that ship')
    .option('--faults <file>', 'faults, one a line, such as: at 120 s: bmc r01s01 silent 40 s')
    .option(
      '--seed <number>',
      'determines serial numbers, addresses and rates; by default 1, or as in the folder',
      position,
    )
    .option('--speed <factor>', 'how much quicker time passes for the machines', speedFactor, 1)
    .option('--ipmi <number>', 'the last machines speak IPMI only, by ipmi_sim', position, 0)
    .addOption(
      new Option('--power <state>', 'whether the machines start by themselves').choices(['on', 'off']).default('on'),
    )
    .option('--racks', 'creates racks, PDUs and their relations too', false)
    .option('--south <url>', 'the southbound endpoint; by default that of GET /config')
    .option('--data <folder>', 'files of the twin, kept over restarts', './twin-data')
    .option('--port <number>', 'port of the BMCs on their addresses', bmcPort, 8_000)
    .option('--namespace', 'in a network namespace of its own: requests to any address', false)
    .option('--beside-others', 'starts although the daemon has other nodes', false)
    .action(twin);
}

const NODES_MAX = 20_000;
const PORT_MAX = 65_535;
const [SPEED_MIN, SPEED_MAX] = [0.01, 100_000];

function machineCount(text: string): number {
  const number = count(text);
  if (number > NODES_MAX) throw new InvalidArgumentError(`Expected at most ${NODES_MAX}.`);
  return number;
}

function bmcPort(text: string): number {
  const number = count(text);
  if (number > PORT_MAX) throw new InvalidArgumentError(`Expected at most ${PORT_MAX}.`);
  return number;
}

function speedFactor(text: string): number {
  const factor = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (factor >= SPEED_MIN && factor <= SPEED_MAX) return factor;
  throw new InvalidArgumentError(`Expected a number from ${SPEED_MIN} to ${SPEED_MAX}.`);
}

async function twin(flags: TwinFlags): Promise<void> {
  // The machines are loaded by this command only.
  const [{ runTwin }, { whenThere }, { readModels }, { isInNamespace, isLoopback }, { faultsIn }, { readFaults }] =
    await Promise.all([
      import('../twin/run-twin.ts'),
      import('../twin/when-there.ts'),
      import('../twin/read-models.ts'),
      import('../twin/loopback.ts'),
      import('../twin/fault-file.ts'),
      import('../../../engine/hardware/twin/faults/read-faults.ts'),
    ]);
  if (flags.namespace && !isInNamespace()) {
    throw new CommandError('--namespace needs a network namespace of its own, such as ip netns exec NAME', EXIT.usage);
  }
  const address = addressOf(flags);
  const models = readModels(flags.models);
  const faults = faultsIn(flags.faults, readFaults) ?? { timed: [], rated: [] };
  if (flags.ipmi > (flags.nodes ?? NODES_MAX)) throw new CommandError('--ipmi: expected at most --nodes', EXIT.usage);
  const client = new Client(address);
  const stop = signalToStop();
  try {
    const check = (url: string) => {
      if (!/^https?:/.test(url)) throw new CommandError(`${url} is no URL of http or https`, EXIT.usage);
      if (flags.namespace || isLoopback(url)) return;
      throw new CommandError(`${url} is not on this host: a twin sends to 127.0.0.0/8 and ::1 only`, EXIT.usage);
    };
    check(address.url);
    const south = flags.south ?? (await whenThere(client, () => southOf(client), stop));
    check(south);
    const { data, nodes, seed, ipmi, speed, racks, besideOthers, namespace: anyAddress, port } = flags;
    const startsOn = flags.power === 'on';
    await runTwin(
      {
        data,
        nodes,
        seed,
        ipmi,
        models,
        faults,
        ...(flags.faults !== undefined && { faultFile: flags.faults }),
        speed,
        startsOn,
        racks,
        besideOthers,
        anyAddress,
        bmcPort: port,
        south,
      },
      client,
      stop,
    );
  } finally {
    await client.close();
  }
}

/** The southbound endpoint of the daemon's configuration. An address of all interfaces is asked at 127.0.0.1. */
async function southOf(client: Client): Promise<string> {
  const { body } = await client.get('/config');
  const endpoints = (body as { httpEndpoints?: unknown }).httpEndpoints;
  for (const endpoint of Array.isArray(endpoints) ? endpoints.map(objectIn) : []) {
    const { routers, address = '127.0.0.1', port, httpsEnabled } = endpoint;
    if (routers !== 'southbound-api-router') continue;
    const host = ['0.0.0.0', '::', ''].includes(String(address)) ? '127.0.0.1' : String(address);
    return `${httpsEnabled === true ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }
  throw new CommandError('the configuration of the daemon has no southbound endpoint; name one by --south', EXIT.usage);
}
