/** All machines of a twin: made from a seed and its models, or from the states that an earlier process saved. */
import { createHash } from 'node:crypto';
import { runFaultEvents } from './fault-events.ts';
import type { EventOfFault } from './faults/faults-at-work.ts';
import { initialBmcState } from './initial-bmc-state.ts';
import { runMachine } from './life.ts';
import { factsOfMachine, type MachineFacts } from './machine/machine-facts.ts';
import type { MachineState } from './machine/machine-state.ts';
import type { Model } from './machine/model.ts';
import { Machine, type Surroundings } from './machine/twin-machine.ts';
import { resumeDownloads } from './machine/update-downloads.ts';

/** The first starts are spread over this field time: a site is not switched on in one moment. */
const FIRST_STARTS_MS = 5 * 60_000;

interface MachinesPlan {
  seed: number;
  nodes: number;
  /** Machine n has the model n modulo their number. */
  models: readonly Model[];
  /** Whether the machines start by themselves. */
  startsOn: boolean;
  /** The last machines, whose BMCs speak IPMI only. */
  ipmi: number;
}

interface FaultEvents {
  events: readonly EventOfFault[];
  passed(at: number): Promise<void>;
}

export class TwinMachines {
  readonly machines: readonly Machine[];
  readonly #around: Surroundings;
  readonly #stop = new AbortController();
  #lives: Promise<unknown> = Promise.resolve();

  /** @param states by name, of an earlier process */
  constructor(plan: MachinesPlan, around: Surroundings, states: ReadonlyMap<string, MachineState> = new Map()) {
    this.#around = around;
    this.machines = Array.from({ length: plan.nodes }, (_, index) => {
      const model = plan.models[index % plan.models.length];
      if (model === undefined) throw new Error('a rack needs a model');
      const facts = factsOfMachine(plan.seed, index, model, index >= plan.nodes - plan.ipmi);
      const first = plan.startsOn ? around.time.basis.first + (index / plan.nodes) * FIRST_STARTS_MS : undefined;
      return new Machine(facts, states.get(facts.name) ?? stateAtFirst(facts, plan.seed, first), around);
    });
  }

  start({ events, passed }: FaultEvents): void {
    const { time } = this.#around;
    const { signal } = this.#stop;
    this.machines.forEach(resumeDownloads);
    const faults = runFaultEvents({ time, events, machines: this.machines, passed }, signal);
    this.#lives = Promise.allSettled([faults, ...this.machines.map(runMachine)]);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the twin ends'));
    for (const machine of this.machines) machine.stop();
    await Promise.all([this.#lives, ...this.machines.map((machine) => machine.downloadsEnded())]);
  }
}

/** @param startAt in field time; undefined: it stays off */
function stateAtFirst(facts: MachineFacts, seed: number, startAt: number | undefined): MachineState {
  const hash = (what: string) => createHash('sha256').update(`${seed} ${facts.name} ${what}`).digest('hex');
  return {
    name: facts.name,
    power: { is: 'Off', ...(startAt !== undefined && { next: 'On', until: startAt }) },
    phase: { name: 'off' },
    bootId: '',
    bmc: initialBmcState(facts, hash('password').slice(0, 16)),
    drives: facts.model.drives.map(({ name }, model) => {
      const digest = hash(name);
      return {
        name,
        serial: digest.slice(0, 12).toUpperCase(),
        wwn: name.startsWith('nvme') ? `eui.${digest.slice(12, 28)}` : `0x5${digest.slice(12, 27)}`,
        model,
        content: `data of ${facts.name}`,
      };
    }),
    jobs: [],
    told: 0,
  };
}
