/** One daemon of a campaign, with its faults, as a load balancer would see it. */
import { setTimeout } from 'node:timers/promises';
import type { DaemonProcess } from '../support/servers/daemon.ts';

const START_AGAIN_MS = 300;
const STARTS = 100;
const LOG_LINES = 40;

/** Resolves early when the campaign is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => {});

export class Member {
  readonly process: DaemonProcess;
  readonly name: string;
  /** Whether clients are sent to it. */
  up = true;
  /** Number of faults: an answer that was pending during one is not checked. */
  disturbed = 0;

  constructor(process: DaemonProcess, name: string) {
    this.process = process;
    this.name = name;
  }

  /** The latest log lines, without those of requests. */
  get log(): string[] {
    const lines = this.process.log.filter((line) => !line.includes('"msg":"request"'));
    return [`the end of the log of ${this.name}:`, ...lines.slice(-LOG_LINES)];
  }

  /** SIGKILL, then a restart until it listens, as by a supervisor. @returns duration in ms */
  async die(): Promise<number> {
    const at = performance.now();
    this.#disturb();
    await this.process.kill('SIGKILL');
    await this.#start();
    this.up = true;
    return performance.now() - at;
  }

  /** Retries: a start fails while its services are unavailable. */
  async #start(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.process.start();
      } catch (error) {
        if (tries >= STARTS) throw error;
        await this.process.kill('SIGKILL');
        await setTimeout(START_AGAIN_MS);
      }
    }
  }

  /** SIGSTOP, and SIGCONT after a while. */
  async standStill(ms: number, signal: AbortSignal): Promise<void> {
    this.#disturb();
    this.process.signal('SIGSTOP');
    await pause(ms, signal);
    this.process.signal('SIGCONT');
    // Requests that arrived in the meantime were pending during the fault.
    this.disturbed += 1;
    this.up = true;
  }

  #disturb(): void {
    this.up = false;
    this.disturbed += 1;
  }
}
