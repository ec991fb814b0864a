/**
 * `nw twin`: opens the files, checks the daemon, lets the machines live, and ends with a signal. The state is on disk at any
 * time, so it makes no difference whether it ends or is killed.
 */

import { randomUUID } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MachineBmc } from '../../../engine/hardware/twin/bmc/bmc.ts';
import { PduRedfish } from '../../../engine/hardware/twin/bmc/pdu-redfish.ts';
import { alertBody, alertReceivers } from '../../../engine/hardware/twin/bmc/subscriptions.ts';
import { checkFaultTargets } from '../../../engine/hardware/twin/fault-targets.ts';
import type { FaultPlan } from '../../../engine/hardware/twin/faults/fault.ts';
import { FaultsAtWork } from '../../../engine/hardware/twin/faults/faults-at-work.ts';
import { FieldTime } from '../../../engine/hardware/twin/machine/field-time.ts';
import type { LedgerNote } from '../../../engine/hardware/twin/machine/ledger.ts';
import type { Model } from '../../../engine/hardware/twin/machine/model.ts';
import type { Machine, Surroundings } from '../../../engine/hardware/twin/machine/twin-machine.ts';
import { agentPlaces, pdusOf } from '../../../engine/hardware/twin/snmp/agent-places.ts';
import { TwinMachines } from '../../../engine/hardware/twin/twin-machines.ts';
import { selfSignedPair } from '../../endpoint/self-signed.ts';
import type { Client } from '../client.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { isOnPath } from '../on-path.ts';
import { inform, printableText, say } from '../terminal.ts';
import { AlertSender } from './alert-sender.ts';
import { BmcAddresses, type BmcService } from './bmc-addresses.ts';
import { namingLine } from './fault-file.ts';
import { IpmiBmcs, ipmiPort } from './ipmi-bmcs.ts';
import { lockFolder } from './lock-folder.ts';
import { isLoopback } from './loopback.ts';
import { MachineRequests } from './machine-requests.ts';
import { checkNodes } from './own-nodes.ts';
import { type BmcPorts, bmcUrl, Registrar } from './registrar.ts';
import { SnmpAgents } from './snmp-agents.ts';
import { TwinFolder, type TwinRecord } from './twin-folder.ts';
import { whenThere } from './when-there.ts';

export interface TwinPlan {
  /** The folder of its files. */
  data: string;
  /** Absent: as in the folder. */
  nodes: number | undefined;
  seed: number | undefined;
  ipmi: number;
  models: readonly Model[];
  faults: FaultPlan;
  /** The file that has them. */
  faultFile?: string;
  speed: number;
  startsOn: boolean;
  racks: boolean;
  besideOthers: boolean;
  anyAddress: boolean;
  bmcPort: number;
  /** Origin of the southbound endpoint. */
  south: string;
}

const [NODES, SEED] = [10, 1];
/** Two thousand requests a second of all machines that wait, at most. */
const [LEAST_PAUSE_MS, PAUSE_OF_EACH_MS] = [500, 0.5];

/** Machines have URLs of this many earlier starts at most, each with another southbound endpoint. */
const ORIGINS = 10;

/** Resolves when the signal has ended it. @throws CommandError */
export async function runTwin(plan: TwinPlan, client: Client, signal: AbortSignal): Promise<void> {
  await mkdir(plan.data, { recursive: true, mode: 0o700 });
  const lock = lockFolder('twin', plan.data);
  try {
    await runLocked(plan, client, signal);
  } finally {
    lock.release();
  }
}

async function runLocked(plan: TwinPlan, client: Client, signal: AbortSignal): Promise<void> {
  const folder = await TwinFolder.open(plan.data);
  try {
    const twin = recordOf(plan, folder.twin);
    if (!plan.besideOthers) await whenThere(client, () => checkNodes(client, twin.seed), signal);
    await folder.begin(twin);
    await runMachines(plan, twin, folder, client, signal);
  } finally {
    await folder.close();
  }
}

/** @throws CommandError if the folder has another twin than the options say */
function recordOf(plan: TwinPlan, before: TwinRecord | undefined): TwinRecord {
  const models = plan.models.map(({ name }) => name);
  const { nodes = before?.nodes ?? NODES, seed = before?.seed ?? SEED, ipmi } = plan;
  const { basis } = FieldTime.from(plan.speed, before?.basis);
  const origins = [...new Set([new URL(plan.south).origin, ...(before?.origins ?? [])])].slice(0, ORIGINS);
  if (before === undefined) return { nodes, seed, ipmi, models, basis, used: [], passed: 0, origins };
  const isSame =
    before.nodes === nodes && before.seed === seed && before.ipmi === ipmi && `${before.models}` === `${models}`;
  if (isSame) return { ...before, basis, origins };
  throw new CommandError(
    `${plan.data} has a twin of ${before.nodes} machines with the seed ${before.seed}, ${before.ipmi} of them by IPMI, and the models ${before.models.join(', ')}; give the same, or another --data`,
    EXIT.usage,
  );
}

async function runMachines(plan: TwinPlan, twin: TwinRecord, folder: TwinFolder, client: Client, signal: AbortSignal) {
  const time = new FieldTime(twin.basis);
  const mayAsk = (url: string) => plan.anyAddress || isLoopback(url);
  const southbound = new MachineRequests(plan.south, mayAsk, twin.origins?.slice(1));
  const faults = new FaultsAtWork(plan.faults, twin.seed, () => time.sinceFirst(), twin.used);
  const alerts = new AlertSender();
  const tell = (text: string) => inform(printableText(text));
  const ipmi = ipmiCount(twin.ipmi, tell);
  const ports = { bmcPort: plan.bmcPort, ipmiPort: ipmi === 0 ? 0 : await ipmiPort('127.0.0.1') };
  const registrar = new Registrar(client, { seed: twin.seed, racks: plan.racks, ...ports, tell });
  const around: Surroundings = {
    time,
    leastPauseMs: Math.max(LEAST_PAUSE_MS, twin.nodes * PAUSE_OF_EACH_MS),
    faults,
    ask: (machine, asking, until) => southbound.ask(machine, asking, until),
    save: async ({ name, state }, told) => {
      // A fault that was used up is noted before what it did.
      if (faults.used.size !== folder.twin?.used.length) await folder.note({ used: [...faults.used] });
      await folder.save(state, told && lineOf(name, told));
    },
    alert: (machine, alert) => {
      for (const receiver of alertReceivers(machine.state.bmc)) {
        const body = alertBody(machine, receiver, alert, randomUUID(), time.now());
        const destination = southbound.currentUrl(receiver.destination);
        if (mayAsk(destination)) alerts.send(machine.facts.bmcAddress, destination, body);
      }
    },
    registered: (machine) => registrar.register(machine),
    tell: ({ name }, text) => tell(`${name}: ${text}`),
  };
  const rack = new TwinMachines({ ...twin, ipmi, models: plan.models, startsOn: plan.startsOn }, around, folder.states);
  namingLine(plan.faultFile ?? 'faults', () => checkFaultTargets(plan.faults, rack.machines));
  const endpoint = new BmcAddresses(
    [
      ...rack.machines.filter(({ facts }) => !facts.isIpmi).map((machine) => serviceOf(machine, plan)),
      ...(plan.racks ? pdusOf(rack.machines).map(pduServiceOf) : []),
    ],
    plan.bmcPort,
    await selfSignedPair(plan.data),
  );
  const simulators = new IpmiBmcs(
    rack.machines.filter(({ facts }) => facts.isIpmi),
    plan.data,
    ports.ipmiPort,
    tell,
  );
  const agents = new SnmpAgents(plan.bmcPort, tell);
  try {
    await simulators.open();
    // One after the other: what is opened after a failure would stay open.
    const listening = endpoint.listen().then(() => agents.open(agentPlaces(rack.machines, plan.racks)));
    await listening.catch((error: Error) => {
      throw new CommandError(`a BMC cannot listen: ${error.message}; end what uses the port, or give another --port`);
    });
    await writeMachines(plan.data, ports, rack.machines);
    rack.start({ events: faults.events(twin.passed), passed: (at) => folder.note({ passed: at }) });
    for (const machine of rack.machines) if (machine.state.node !== undefined) registrar.register(machine);
    say(`${twin.nodes} machines, seed ${twin.seed}, field time ${plan.speed} times as quick; files in ${plan.data}`);
    await untilEnd(signal);
  } finally {
    await rack.stop();
    agents.close();
    await Promise.all([endpoint.close(), simulators.close(), registrar.close(), alerts.close()]);
    southbound.close();
  }
}

/** Without the simulator those machines have Redfish like the others. */
function ipmiCount(wanted: number, tell: (text: string) => void): number {
  if (wanted === 0 || isOnPath('ipmi_sim')) return wanted;
  tell('ipmi_sim is not installed (Debian: openipmi): the machines of --ipmi have Redfish');
  return 0;
}

const lineOf = (machine: string, { kind, what, outcome, by }: LedgerNote) => ({
  at: new Date().toISOString(),
  machine,
  kind,
  what,
  outcome,
  by,
});

function serviceOf(machine: Machine, { anyAddress, bmcPort: port }: TwinPlan): BmcService {
  const { model, bmcAddress: address } = machine.facts;
  const bmc = new MachineBmc(machine, { port, isHttps: model.bmc.https, anyAddress });
  return { address, model, isHttps: model.bmc.https, bmc, isThere: () => machine.hasMains };
}

const pduServiceOf = ({ name, address, outlets, isSilent }: ReturnType<typeof pdusOf>[number]): BmcService => ({
  address,
  isHttps: true,
  bmc: new PduRedfish(name, outlets, isSilent),
  isThere: () => true,
});

/** `machines.json`: what a person, or a test, needs to reach the BMCs. */
async function writeMachines(data: string, ports: BmcPorts, machines: readonly Machine[]): Promise<void> {
  const list = machines.map((machine) => {
    const { name, rack, pdu, macs, serial } = machine.facts;
    const [account] = machine.state.bmc.accounts;
    const drives = machine.state.drives.map((drive) => ({ name: drive.name, serial: drive.serial, wwn: drive.wwn }));
    return {
      name,
      rack,
      pdu,
      bmc: bmcUrl(machine, ports),
      user: account?.user,
      password: account?.password,
      macs,
      serial,
      drives,
    };
  });
  const file = join(data, 'machines.json');
  await writeFile(file, `${JSON.stringify(list, null, 1)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}

const untilEnd = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
