/**
 * One machine: its facts, its state, and its power.
 *
 * 1. Each change is saved, with its line of the ledger where it has one, before the BMC or the agent answers (`save`).
 * 2. `runMachine` runs the phases of the machine, one after the other, from wherever its state says. A change of power ends the
 *    phase (`powered`), and the next one begins.
 */
import { randomUUID } from 'node:crypto';
import { messageOf } from '../../../vocabulary/thrown-values.ts';
import type { FaultsAtWork } from '../faults/faults-at-work.ts';
import { applyAtReset, endDownload, settleUpdates } from './bmc-firmware.ts';
import { addLogEntry } from './bmc-log.ts';
import type { FieldTime } from './field-time.ts';
import type { LedgerNote } from './ledger.ts';
import type { MachineFacts } from './machine-facts.ts';
import {
  type DriveJob,
  type ImageProblem,
  lineOfJob,
  type MachinePhase,
  type MachineState,
  type UpdateTask,
} from './machine-state.ts';

/** A request to the daemon or to another server, sent from the machine's own address. */
export interface SouthRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** Absolute, or a path of the southbound endpoint. */
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, without `body`. */
  text?: string;
  /** Milliseconds of the host; absent: 30,000. */
  timeoutMs?: number;
  /** Sent from the address of the BMC, not of the machine. */
  isOfBmc?: true;
  /** The answer is a file with at most that many bytes, of which `text` has the first ones only. */
  fileLimit?: number;
}

export interface SouthAnswer {
  status: number;
  /** Its body; of a file the first bytes. */
  text: string;
  /** Its Content-Length, if it has one. */
  length?: number;
}

/** The surroundings of a machine, as it uses them. */
export interface Surroundings {
  readonly time: FieldTime;
  /** ms of the host between two requests of one machine that waits: however quickly field time passes, no daemon is flooded. */
  readonly leastPauseMs: number;
  readonly faults: FaultsAtWork;
  /** Rejects if there is no answer, or the address is not allowed. */
  ask(machine: Machine, asking: SouthRequest, signal: AbortSignal): Promise<SouthAnswer>;
  /** Saves the state and adds the line to the ledger; resolves once both are on disk. */
  save(machine: Machine, line?: LedgerNote): Promise<void>;
  /** Sends an alert to the subscribers of the BMC, in its own time. Machines call it by `Machine.alert`. */
  alert(machine: Machine, alert: Alert): void;
  /** The daemon has answered a request for a profile: the machine is a node. */
  registered(machine: Machine): void;
  /** Problems worth a line on the terminal, such as a rejected request. */
  tell(machine: Machine, text: string): void;
}

export interface Alert {
  severity: 'OK' | 'Warning' | 'Critical';
  message: string;
  messageId: string;
  sensor?: string;
}

/** `ignored`: a fault of the BMC swallowed it. `same`: the machine is in that state. */
export type PowerOutcome = 'done' | 'same' | 'ignored';
export type PowerChange = 'on' | 'off' | 'soft' | 'restart' | 'cycle';

const [SECOND_MS, ON_MS, OFF_MS, SOFT_MS] = [1_000, 3_000, 5_000, 30_000];

const POWER_MESSAGES: Readonly<Record<PowerChange, string>> = {
  on: 'The system was powered on.',
  off: 'The system was powered off.',
  soft: 'A shutdown of the system was requested.',
  restart: 'The system was reset.',
  cycle: 'The power of the system was cycled.',
};

export class Machine {
  readonly facts: MachineFacts;
  readonly around: Surroundings;
  state: MachineState;
  /** Aborted by a change of power: ends the phase. */
  #phase = new AbortController();
  /** Aborted by a reset of the BMC, and with the mains: ends its downloads. */
  #bmcWork = new AbortController();
  readonly #downloads = new Set<Promise<void>>();
  /** Jobs that a boot has ended, until the ledger has them. */
  readonly #lost: DriveJob[] = [];
  isStopped = false;
  /** Those that follow the event stream of the BMC. */
  readonly followers = new Set<(alert: Alert) => void>();

  constructor(facts: MachineFacts, state: MachineState, around: Surroundings) {
    this.facts = facts;
    this.state = state;
    this.around = around;
  }

  get name(): string {
    return this.facts.name;
  }

  get isOn(): boolean {
    return this.state.power.is === 'On';
  }

  /** The address from which its systems ask. */
  get address(): string {
    return this.state.address ?? this.facts.address;
  }

  /** The address from which it is sent. */
  addressOf({ isOfBmc }: SouthRequest): string {
    return isOfBmc === true ? this.facts.bmcAddress : this.address;
  }

  /** The signal of the phase under way. */
  get phaseSignal(): AbortSignal {
    return this.#phase.signal;
  }

  /** The signal of what the BMC does now. */
  get bmcSignal(): AbortSignal {
    return this.#bmcWork.signal;
  }

  /** The twin ends; the machine keeps its state. */
  stop(): void {
    this.isStopped = true;
    this.#interrupt();
    this.interruptBmc();
  }

  /** Ends the downloads of the BMC. */
  interruptBmc(): void {
    this.#bmcWork.abort(new Error(`${this.name}: the BMC restarts`));
    if (!this.isStopped) this.#bmcWork = new AbortController();
  }

  /** Holds a download of the BMC until it has ended. */
  holdDownload(download: Promise<void>): void {
    const end = download
      .catch((error: unknown) => this.around.tell(this, messageOf(error)))
      .finally(() => this.#downloads.delete(end));
    this.#downloads.add(end);
  }

  /** Resolves when the BMC downloads nothing more. */
  async downloadsEnded(): Promise<void> {
    await Promise.all(this.#downloads);
  }

  /** Ends the phase under way, which then begins again: an agent that dies is started by its system. */
  restartPhase(): void {
    this.#interrupt();
  }

  /** Call it after each change of `state`. */
  save(line?: LedgerNote): Promise<void> {
    return this.around.save(this, line);
  }

  /** @param what as the ledger has it, such as `reset ForceOff` @param by the account */
  async changePower(change: PowerChange, what: string, by: string): Promise<PowerOutcome> {
    const { time, faults } = this.around;
    const { is } = this.state.power;
    const isUp = is === 'On' || is === 'PoweringOn';
    if (faults.takes(this.name, 'reset ignored')) {
      await this.save({ kind: 'power', what, outcome: 'ignored', by });
      return 'ignored';
    }
    if ((change === 'on' && isUp) || (!isUp && change !== 'on' && change !== 'cycle')) {
      await this.save({ kind: 'power', what, outcome: 'same', by });
      return 'same';
    }
    const now = time.now();
    if (change === 'on' || !isUp) this.state.power = { is: 'PoweringOn', next: 'On', until: now + ON_MS };
    else if (change === 'restart') this.#begin({ name: 'post', until: now + SECOND_MS });
    else {
      const next = change === 'cycle' ? 'cycle' : 'Off';
      this.state.power = { is: 'PoweringOff', next, until: now + (change === 'soft' ? SOFT_MS : OFF_MS) };
    }
    const isStuck = faults.takes(this.name, 'power stuck');
    // It stays on the way, until the next command.
    if (isStuck) this.state.power = { is: change === 'on' || !isUp ? 'PoweringOn' : 'PoweringOff' };
    else this.report('OK', POWER_MESSAGES[change]);
    this.#interrupt();
    await this.#changedPower({ kind: 'power', what, outcome: isStuck ? 'stuck' : 'done', by });
    return 'done';
  }

  /** Notes an event in the log of the BMC, and sends it to its subscribers. */
  report(severity: Alert['severity'], message: string): void {
    addLogEntry(this.state.bmc, { at: this.around.time.now(), severity, message });
    this.alert({ severity, message, messageId: `ResourceEvent.1.0.ResourceStatusChanged${severity}` });
  }

  /** Sends an event to the subscribers of the BMC, and to those that follow its stream. */
  alert(alert: Alert): void {
    this.around.alert(this, alert);
    for (const follow of this.followers) follow(alert);
  }

  /** The machine restarts by itself, as by the reboot of its system. @param by as in the ledger */
  async reboot(by: string): Promise<void> {
    this.#begin({ name: 'post', until: this.around.time.now() + SECOND_MS });
    this.#interrupt();
    await this.#changedPower({ kind: 'power', what: 'reboot', outcome: 'done', by });
  }

  /** The mains are gone until this field time; a machine that was on then starts again. */
  async losePower(until: number): Promise<void> {
    this.state.outageUntil = until;
    await this.#lose({ kind: 'power', what: 'mains lost', outcome: 'done', by: 'twin' }, until);
  }

  /** A PDU switches its outlet: a machine that was on starts with it again. @param by the PDU */
  async switchOutlet(to: 'on' | 'off', by: string): Promise<void> {
    const { outlet, outageUntil = 0 } = this.state;
    const line = { kind: 'power', what: `outlet ${to}`, by } as const;
    if ((to === 'on') === (outlet === undefined)) return this.save({ ...line, outcome: 'same' });
    if (outlet === undefined) {
      this.state.outlet = { wasOn: this.#isStarted };
      return this.#lose({ ...line, outcome: 'done' });
    }
    delete this.state.outlet;
    const until = Math.max(outageUntil, this.around.time.now());
    this.state.power = { is: 'Off', ...(outlet.wasOn && { next: 'On', until }) };
    this.#interrupt();
    await this.#changedPower({ ...line, outcome: 'done' });
  }

  /** @param until when a machine that is on starts again; absent: it does not by itself */
  async #lose(line: LedgerNote, until?: number): Promise<void> {
    const startsAgain = this.#isStarted && until !== undefined;
    const at = this.around.time.now();
    addLogEntry(this.state.bmc, { at, severity: 'Critical', message: 'The input power was lost.' });
    this.state.power = { is: 'Off', ...(startsAgain && { next: 'On', until }) };
    this.#begin({ name: 'off' });
    this.#interrupt();
    this.interruptBmc();
    await this.#changedPower(line);
  }

  get #isStarted(): boolean {
    const { is, next } = this.state.power;
    return is === 'On' || next === 'On' || next === 'cycle';
  }

  /** false: its PDU is down, or its outlet is off, and its BMC does not answer. */
  get hasMains(): boolean {
    return this.state.outlet === undefined && (this.state.outageUntil ?? 0) <= this.around.time.now();
  }

  /** Ends the tasks of the BMC whose time is over. One that failed is an event, too. */
  async settleTasks(): Promise<void> {
    await this.#noteUpdates(settleUpdates(this.state, this.around.time.now()));
  }

  /** @param problem why the BMC did not get the image */
  async settleDownload(task: UpdateTask, problem: ImageProblem | undefined): Promise<void> {
    endDownload(task, this.around.time.now(), problem);
    await (problem === undefined ? this.save() : this.#noteUpdates([task]));
  }

  /** The BMC makes the changes that wait for a start or a reset of the machine. */
  async applyChanges(): Promise<void> {
    await this.#noteUpdates(applyAtReset(this.state, this.around.time.now()));
  }

  async #noteUpdates(tasks: readonly UpdateTask[]): Promise<void> {
    for (const { components, image, outcome } of tasks.filter(({ volume }) => volume === undefined)) {
      const names = components.join(', ');
      const hasFailed = outcome === 'failed';
      if (hasFailed) this.report('Critical', `The update of ${names} has failed.`);
      const what = `${names} from ${image}`;
      await this.save({ kind: 'update', what, outcome: hasFailed ? 'failed' : 'done', by: 'BMC' });
    }
  }

  /** Ends a change of power whose time is over. Called by the machine's life. */
  settlePower(): Promise<void> {
    const { next } = this.state.power;
    if (next === 'cycle') this.state.power = { is: 'PoweringOn', next: 'On', until: this.around.time.now() + ON_MS };
    else this.state.power = { is: next ?? 'Off' };
    this.#begin(next === 'On' ? { name: 'post', until: this.around.time.now() } : { name: 'off' });
    return this.#changedPower();
  }

  enter(phase: MachinePhase): Promise<void> {
    this.state.phase = phase;
    return this.save();
  }

  /** A boot, or an end, loses what was in memory: the jobs on drives. */
  #begin(phase: MachinePhase): void {
    this.state.phase = phase;
    this.#lost.push(...this.state.jobs.filter(({ exit }) => exit === undefined));
    this.state.jobs = [];
    this.state.raidReports = {};
    if (phase.name === 'post') this.state.bootId = randomUUID();
  }

  /** Saves the change, then a line for each job that it has ended. */
  async #changedPower(line?: LedgerNote): Promise<void> {
    const lost = this.#lost.splice(0);
    await this.save(line);
    for (const job of lost) await this.save(lineOfJob(job, 'lost'));
  }

  #interrupt(): void {
    this.#phase.abort(new Error(`${this.name}: the power has changed`));
    this.#phase = new AbortController();
  }
}
