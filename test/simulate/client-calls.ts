/** Requests of clients to daemons of a simulation. */

import type { VirtualTime } from '../../engine/assembly/virtual/virtual-time.ts';
import type { WorldDaemon } from '../../engine/assembly/virtual-world.ts';
import type { Members } from './members.ts';

type Work = (daemon: WorldDaemon) => Promise<void>;

const AGAIN_MS = 3_000;
/** More than the time for which faults last. */
const ATTEMPTS = 60;

export class ClientCalls {
  readonly #time: VirtualTime;
  readonly #members: Members;

  constructor(time: VirtualTime, members: Members) {
    this.#time = time;
    this.#members = members;
  }

  /** Runs a request in a daemon, as one that has just arrived there. A daemon that dies never answers it. */
  ask(work: Work): void {
    const daemon = this.#members.pick();
    if (daemon === undefined) return;
    daemon.link.deliver(0, () => void work(daemon).catch(() => {})); // rejected, or its outcome is unknown
  }

  /** The same, again and again until it is answered. @param work resolves when it is */
  insist(afterMs: number, work: Work): void {
    let attempts = 0;
    let isAnswered = false;
    const attempt = () => {
      attempts += 1;
      if (isAnswered || attempts > ATTEMPTS) return;
      this.ask(async (daemon) => {
        await work(daemon);
        isAnswered = true;
      });
      this.#time.add(AGAIN_MS, attempt, '');
    };
    this.#time.add(afterMs, attempt, '');
  }
}
