/** One machine of a twin, with its state in memory, whose requests are sent from its own address. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { runAgent } from '../../../engine/hardware/twin/agent/run-agent.ts';
import { runRackhdAgent } from '../../../engine/hardware/twin/agent/run-rackhd-agent.ts';
import { FaultsAtWork } from '../../../engine/hardware/twin/faults/faults-at-work.ts';
import { initialBmcState } from '../../../engine/hardware/twin/initial-bmc-state.ts';
import { bootKindOf } from '../../../engine/hardware/twin/installing/boot-kind.ts';
import { runDisk } from '../../../engine/hardware/twin/installing/run-disk.ts';
import { runInstaller } from '../../../engine/hardware/twin/installing/run-installer.ts';
import { FieldTime } from '../../../engine/hardware/twin/machine/field-time.ts';
import type { LedgerNote } from '../../../engine/hardware/twin/machine/ledger.ts';
import { factsOfMachine, type MachineFacts } from '../../../engine/hardware/twin/machine/machine-facts.ts';
import type { MachineState } from '../../../engine/hardware/twin/machine/machine-state.ts';
import type { Model } from '../../../engine/hardware/twin/machine/model.ts';
import { Machine, type SouthAnswer, type SouthRequest } from '../../../engine/hardware/twin/machine/twin-machine.ts';
import { askForBoot } from '../../../engine/hardware/twin/pxe.ts';
import { shippedModels } from '../../../engine/hardware/twin/read-model.ts';

const shipped = shippedModels().get('dell-r650') as Model;

/** A model that ships, with three drives that are erased soon. */
export const smallModel: Model = {
  ...shipped,
  drives: [
    {
      name: 'sda',
      kind: 'sata',
      isRotational: true,
      model: 'Disk 4T',
      vendor: 'Disks',
      firmware: 'D1',
      bytes: 4_000_787_030_016,
      eraseMinutes: 10,
    },
    {
      name: 'nvme0n1',
      kind: 'nvme',
      isRotational: false,
      model: 'Flash 1T',
      vendor: 'Flashes',
      firmware: 'F1',
      bytes: 1_000_204_886_016,
      eraseMinutes: 1,
    },
    {
      name: 'sdb',
      kind: 'sas',
      isRotational: false,
      model: 'SAS 2T',
      vendor: 'SAS-INC',
      firmware: 'S1',
      bytes: 2_000_398_934_016,
      eraseMinutes: 2,
    },
  ],
};

/** An on machine that begins its test, with drives that have data. */
export function newState(facts: MachineFacts): MachineState {
  const { name } = facts;
  const bmc = initialBmcState(facts, 'secret-of-the-bmc');
  const drives = smallModel.drives.map(({ name: drive, kind }, model) => ({
    name: drive,
    serial: `SN-${drive.toUpperCase()}`,
    wwn: `${kind === 'nvme' ? '0025385' : '5000c50'}0000000${model + 1}${kind === 'nvme' ? 'a' : ''}`.padEnd(16, '0'),
    model,
    content: `data of ${drive}`,
  }));
  return {
    name,
    power: { is: 'On' },
    phase: { name: 'post', until: 0 },
    bootId: randomUUID(),
    bmc,
    drives,
    jobs: [],
    told: 0,
  };
}

interface Opening {
  /** The southbound endpoint, such as `http://127.0.0.1:9080`. */
  base: string;
  /** Field time passes as quickly as that. */
  speed?: number;
  index?: number;
  /** That of a machine that was killed. */
  state?: MachineState;
  time?: FieldTime;
}

export class TwinMachine {
  readonly machine: Machine;
  readonly ledger: LedgerNote[] = [];
  readonly problems: string[] = [];
  /** As it was saved last. */
  saved: string;
  readonly #life: Promise<void>;

  constructor({ base, speed = 600, index = 0, state, time = FieldTime.from(speed) }: Opening) {
    const facts = factsOfMachine(7, index, smallModel);
    const around = {
      time,
      leastPauseMs: 50,
      faults: new FaultsAtWork({ timed: [], rated: [] }, 7, () => 0),
      ask: (machine: Machine, asking: SouthRequest, signal: AbortSignal) => ask(base, machine.address, asking, signal),
      save: async (machine: Machine, line?: LedgerNote) => {
        this.saved = JSON.stringify(machine.state);
        if (line !== undefined) this.ledger.push(line);
      },
      alert: () => {},
      registered: () => {},
      tell: (_: Machine, text: string) => this.problems.push(text),
    };
    this.machine = new Machine(facts, state ?? newState(facts), around);
    this.saved = JSON.stringify(this.machine.state);
    this.#life = live(this.machine, (text) => this.problems.push(text));
  }

  get state(): MachineState {
    return this.machine.state;
  }

  drive(name: string) {
    return this.state.drives.find((drive) => drive.name === name);
  }

  /** Lines of one kind, as texts. */
  lines(kind: LedgerNote['kind']): string[] {
    return this.ledger.filter((line) => line.kind === kind).map(({ what, outcome }) => `${what}: ${outcome}`);
  }

  async close(): Promise<void> {
    this.machine.stop();
    await this.#life;
  }
}

/** The phases of a machine, without the times of its firmware. */
async function live(machine: Machine, report: (text: string) => void): Promise<void> {
  while (!machine.isStopped) {
    const signal = machine.phaseSignal;
    await runPhase(machine, signal).catch((error: Error) => {
      if (!signal.aborted) report(String(error.stack));
    });
  }
}

async function runPhase(machine: Machine, signal: AbortSignal): Promise<void> {
  const { phase } = machine.state;
  const now = machine.around.time.now();
  if (phase.name === 'agent') {
    const isRackhd = bootKindOf(phase.image) === 'rackhd-agent';
    return isRackhd ? runRackhdAgent(machine, phase.image, signal) : runAgent(machine, phase.image, signal);
  }
  if (phase.name === 'installing') return runInstaller(machine, phase.image, signal);
  if (phase.name === 'disk') return runDisk(machine, signal);
  const image = await askForBoot(machine, signal);
  if (image === 'disk') return machine.enter({ name: 'disk', until: now });
  if (bootKindOf(image) === 'installer') return machine.enter({ name: 'installing', image, until: now, step: 0 });
  return machine.enter({ name: 'agent', image });
}

function ask(base: string, localAddress: string, asking: SouthRequest, signal: AbortSignal): Promise<SouthAnswer> {
  const { method, url, headers = {}, body, timeoutMs = 30_000 } = asking;
  const content = body === undefined ? undefined : JSON.stringify(body);
  const more = content === undefined ? {} : { 'content-type': 'application/json' };
  const options = {
    method,
    localAddress,
    agent: false,
    headers: { ...headers, ...more },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(url, base), options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('error', reject).on('end', () => {
        const length = answer.headers['content-length'];
        resolve({ status: answer.statusCode ?? 0, text, ...(length !== undefined && { length: Number(length) }) });
      });
    });
    sent.on('error', reject);
    sent.end(content);
  });
}
