/** The machine of a story, with its BMC, on the network of the process. */
import { randomUUID } from 'node:crypto';
import type { MemoryNetwork } from '../../engine/assembly/virtual/memory-network.ts';
import { MachineBmc } from '../../engine/hardware/twin/bmc/bmc.ts';
import { answerByHttp } from '../../engine/hardware/twin/bmc/http-answer.ts';
import { alertBody, alertReceivers } from '../../engine/hardware/twin/bmc/subscriptions.ts';
import { runFaultEvents } from '../../engine/hardware/twin/fault-events.ts';
import type { FaultPlan } from '../../engine/hardware/twin/faults/fault.ts';
import { FaultsAtWork } from '../../engine/hardware/twin/faults/faults-at-work.ts';
import { FieldTime } from '../../engine/hardware/twin/machine/field-time.ts';
import type { Model } from '../../engine/hardware/twin/machine/model.ts';
import type { Alert, Machine, SouthAnswer, SouthRequest } from '../../engine/hardware/twin/machine/twin-machine.ts';
import { TwinMachines } from '../../engine/hardware/twin/twin-machines.ts';
import { MIB } from '../../engine/vocabulary/units.ts';
import type { StoryLines } from './story-lines.ts';

export const BMC_PORT = 8_000;
/** Other servers have every file that a machine asks for, such as images, with this length. */
const FILE_BYTES = 4_096 * MIB;
const NOTIFICATION = /\/notification(\/|\?|$)/;
const noFaults: FaultPlan = { timed: [], rated: [] };

/** The obm that leads to the BMC of a machine. */
export function obmOfMachine({ state, facts }: Machine) {
  const [account] = state.bmc.accounts;
  const uri = `http://${facts.bmcAddress}:${BMC_PORT}`;
  const config = { uri, username: account?.user ?? '', password: account?.password ?? '' };
  return { service: 'redfish-obm-service' as const, config };
}

interface MachineScene {
  seed: number;
  model: Model;
  network: MemoryNetwork;
  /** Origin of the southbound endpoint. */
  south: string;
  lines: StoryLines;
}

export class StoryMachine {
  readonly machine: Machine;
  readonly #scene: MachineScene;
  readonly #rack: TwinMachines;
  readonly #stop = new AbortController();
  #faults: FaultsAtWork;

  constructor(scene: MachineScene) {
    const { seed, model, network, lines } = scene;
    this.#scene = scene;
    this.#faults = new FaultsAtWork(noFaults, seed, () => 0);
    const faults = () => this.#faults;
    this.#rack = new TwinMachines(
      { seed, nodes: 1, models: [model], startsOn: true, ipmi: 0 },
      {
        time: FieldTime.from(1),
        leastPauseMs: 0,
        get faults() {
          return faults();
        },
        ask: (machine, asking, signal) => this.#ask(machine, asking, signal),
        save: async ({ state }, note) => {
          if (note !== undefined) lines.addEffect(note);
          lines.enter(state.phase);
        },
        alert: (machine, alert) => this.#alert(machine, alert),
        registered: () => {},
        tell: (_, text) => lines.add(text),
      },
    );
    const [machine] = this.#rack.machines;
    if (machine === undefined) throw new Error('a twin of one machine has one');
    this.machine = machine;
    const service = { model, bmc: new MachineBmc(machine, { port: BMC_PORT, anyAddress: true }) };
    network.listen(`${machine.facts.bmcAddress}:${BMC_PORT}`, (request, response) => {
      if (machine.hasMains) void answerByHttp(service, request, response);
      else response.destroy();
    });
  }

  /** Presses its power button. */
  start(): void {
    this.#rack.start({ events: [], passed: async () => {} });
  }

  stop(): Promise<void> {
    this.#stop.abort(new Error('the story ends'));
    return this.#rack.stop();
  }

  /** Its faults count from now on. */
  beginFaults(plan: FaultPlan): void {
    const { time } = this.machine.around;
    const first = time.now();
    this.#faults = new FaultsAtWork(plan, this.#scene.seed, () => time.now() - first);
    const events = this.#faults.events(0);
    const fromNow = new FieldTime({ ...time.basis, first });
    const scene = { time: fromNow, events, machines: [this.machine], passed: async () => {} };
    runFaultEvents(scene, this.#stop.signal).catch(() => {}); // the story ends
  }

  async #ask(machine: Machine, asking: SouthRequest, signal: AbortSignal): Promise<SouthAnswer> {
    const { network, south, lines } = this.#scene;
    const url = new URL(asking.url, south);
    if (!network.has(url)) return { status: 200, text: '', length: FILE_BYTES };
    const answer = await network.ask(url, machine.addressOf(asking), asking, signal);
    if (machine.state.notifiesTwice && NOTIFICATION.test(url.pathname + url.search))
      await network.ask(url, machine.address, asking, signal);
    lines.addCommand(answer.text);
    return answer;
  }

  #alert(machine: Machine, alert: Alert): void {
    const { network } = this.#scene;
    for (const receiver of alertReceivers(machine.state.bmc)) {
      const body = alertBody(machine, receiver, alert, randomUUID(), machine.around.time.now());
      const request = { method: 'POST', body };
      const sent = network.ask(new URL(receiver.destination), machine.facts.bmcAddress, request, this.#stop.signal);
      sent.catch(() => {}); // a BMC does not repeat an alert
    }
  }
}
