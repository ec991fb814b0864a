/** The clients of a simulation: they launch, notify, cancel, and tell the oracle what they were answered. */
import type { WorldDaemon } from '../../engine/assembly/virtual-world.ts';
import { isActive } from '../../engine/vocabulary/states.ts';
import type { SeededRandom } from '../../engine/virtual/random.ts';
import type { VirtualTime } from '../../engine/virtual/virtual-time.ts';
import { type Kind, kinds } from './kinds.ts';
import type { Members } from './members.ts';
import type { Oracle } from './oracle.ts';

const NODES = 4;
const totalWeight = kinds.reduce((sum, { weight }) => sum + weight, 0);

export class Clients {
  launches = 0;
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #members: Members;
  readonly #oracle: Oracle;
  readonly #nodes: string[] = [];
  #nonces = 0;

  constructor(time: VirtualTime, random: SeededRandom, members: Members, oracle: Oracle) {
    this.#time = time;
    this.#random = random;
    this.#members = members;
    this.#oracle = oracle;
  }

  /** Runs a request in a daemon, as one that has just arrived there. A daemon that dies never answers it. */
  #ask(work: (daemon: WorldDaemon) => Promise<void>): void {
    const daemon = this.#members.pick();
    if (daemon === undefined) return;
    daemon.link.deliver(0, () => void work(daemon).catch(() => {})); // rejected, or its outcome is unknown
  }

  /** A burst of launches, and what their workflows wait for. @returns its length in ms */
  burst(): number {
    const count = 2 + this.#random.below(4);
    for (let n = 0; n < count; n += 1) this.#time.add(this.#random.between(0, 4_000), () => this.#launch(), '');
    return 4_000;
  }

  #launch(): void {
    const kind = this.#kind();
    if (this.#nodes.length < NODES) return this.#ask(async ({ engine }) => {
      const node = await engine.nodes.create({ type: 'compute', name: `node ${this.#nodes.length}` });
      this.#nodes.push(node.id);
      this.#launch();
    });
    const nodeId = kind.onNode || this.#random.chance(0.5) ? this.#random.pick(this.#nodes) : null;
    this.#ask(async ({ engine }) => {
      const { id } = await engine.launches.launch({ name: kind.graph, options: {}, nodeId });
      this.launches += 1;
      this.#oracle.launched.set(id, kind);
      if (nodeId !== null) for (let n = 0; n < kind.signals; n += 1) this.#notifyLater(id, nodeId, n);
      if (kind.isCancelled) this.#cancelLater(id);
    });
  }

  #kind(): Kind {
    let left = this.#random.below(totalWeight);
    return kinds.find(({ weight }) => (left -= weight) < 0) as Kind;
  }

  /** Repeats the notification until it is answered, as installers do. */
  #notifyLater(workflow: string, node: string, n: number): void {
    this.#nonces += 1;
    const nonce = `nonce-${this.#nonces}`;
    let isAnswered = false;
    const notify = () => {
      if (isAnswered) return;
      this.#ask(async ({ engine }) => {
        const row = await engine.workflows.get(workflow);
        if (row === undefined || !isActive(row.status)) {
          isAnswered = true;
          return;
        }
        await engine.notifications.notify({ n }, node, { nonce });
        isAnswered = true;
        this.#oracle.accepted.push({ workflow, nonce });
      });
      this.#time.add(3_000, notify, '');
    };
    this.#time.add(this.#random.between(0, 6_000) * (n + 1), notify, '');
  }

  #cancelLater(workflow: string): void {
    let isAnswered = false;
    const cancel = () => {
      if (isAnswered) return;
      this.#ask(async ({ engine }) => {
        await engine.control.cancel(workflow);
        isAnswered = true;
        this.#oracle.cancelled.add(workflow);
      });
      this.#time.add(3_000, cancel, '');
    };
    this.#time.add(this.#random.between(500, 8_000), cancel, '');
  }
}
