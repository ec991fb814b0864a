/** Attends a command: reports its progress, and asks whether it is still wanted, as `attend` of the agent's script. */
import { pauseFor } from '../commands/command-run.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { AGENT_PAUSE_MS, type AgentExchange } from './agent-exchange.ts';

/** Between two requests of one agent, in time of the host. */
const LEAST_PAUSE_MS = 1_000;

interface AttendedCommand {
  taskId: string;
  /** Path that says whether the command is still wanted; undefined: it does not listen. */
  check: string | undefined;
  isCancelled: boolean;
  signal: AbortSignal;
}

export class ProgressReports {
  readonly #machine: Machine;
  readonly #requests: AgentExchange;
  readonly #command: AttendedCommand;
  readonly #closing = new AbortController();
  readonly #done: Promise<void>;
  isCancelled: boolean;
  #line = '';
  #reported = '';

  constructor(machine: Machine, requests: AgentExchange, command: AttendedCommand) {
    this.#machine = machine;
    this.#requests = requests;
    this.#command = command;
    this.isCancelled = command.isCancelled;
    this.#done = this.#attend().catch(() => {}); // the command has ended, or the power is gone
  }

  /** @param line `<value> <maximum> <description>` */
  note(line: string): void {
    this.#line = line;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#done;
  }

  async #attend(): Promise<void> {
    const signal = AbortSignal.any([this.#command.signal, this.#closing.signal]);
    for (;;) {
      await pauseFor(this.#machine, AGENT_PAUSE_MS, LEAST_PAUSE_MS, signal);
      await this.#report();
      const { check } = this.#command;
      if (check !== undefined && (await this.#requests.get(check)).status === 410) this.isCancelled = true;
    }
  }

  /** Reports a line that has changed. */
  async #report(): Promise<void> {
    const line = this.#line;
    const [, value, maximum, text = ''] = /^([\d.]+) ([\d.]+)(?: (.*))?$/.exec(line) ?? [];
    if (value === undefined || line === this.#reported) return;
    this.#reported = line;
    const description = text.replace(/[^A-Za-z0-9 .,:;()%/_-]/g, '').slice(0, 200);
    const { taskId } = this.#command;
    await this.#requests.post('/notification/progress', {
      taskId,
      value: Number(value),
      maximum: Number(maximum),
      description,
    });
  }
}
