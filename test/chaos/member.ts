/** One daemon of a campaign, with what befalls it, as a balancer before it would see it. */
import { setTimeout } from 'node:timers/promises';
import type { DaemonProcess } from '../support/daemon.ts';

const START_AGAIN_MS = 300;
const STARTS = 100;
const LOG_LINES = 40;

/** Ends early when the campaign does. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => {});

export class Member {
  readonly process: DaemonProcess;
  readonly name: string;
  /** Whether a client is sent to it. */
  up = true;
  /** How often something befell it: an answer that was under way then says nothing. */
  disturbed = 0;

  constructor(process: DaemonProcess, name: string) {
    this.process = process;
    this.name = name;
  }

  /** What it said last, without its requests. */
  get log(): string[] {
    const lines = this.process.log.filter((line) => !line.includes('"msg":"request"'));
    return [`the end of the log of ${this.name}:`, ...lines.slice(-LOG_LINES)];
  }

  /** SIGKILL, and started again until it listens, as its supervisor would. @returns how long that took, ms */
  async die(): Promise<number> {
    const at = performance.now();
    this.#disturb();
    await this.process.kill('SIGKILL');
    await this.#start();
    this.up = true;
    return performance.now() - at;
  }

  /** A start fails while its services are away. */
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
    // What came to it meanwhile was under way when it stood still.
    this.disturbed += 1;
    this.up = true;
  }

  #disturb(): void {
    this.up = false;
    this.disturbed += 1;
  }
}
