/**
 * The clients of a simulation: they launch, notify, cancel, pause, retry and tag nodes, and tell the oracle what they were
 * answered. A request that a daemon does not answer is repeated by another, as clients do.
 */

import type { VirtualTime } from '../../engine/assembly/virtual/virtual-time.ts';
import type { WorldDaemon } from '../../engine/assembly/virtual-world.ts';
import type { SeededRandom } from '../../engine/platform/lib/seeded-random.ts';
import { isActive } from '../../engine/vocabulary/states.ts';
import type { ClientCalls } from './client-calls.ts';
import { type Kind, kinds } from './kinds.ts';
import type { Oracle } from './oracle.ts';

const NODES = 4;
const BURST_MS = 4_000;
const totalWeight = kinds.reduce((sum, { weight }) => sum + weight, 0);

export interface ClientsPort {
  time: VirtualTime;
  random: SeededRandom;
  calls: ClientCalls;
  oracle: Oracle;
  note(line: string): void;
}

export class Clients {
  launches = 0;
  readonly #port: ClientsPort;
  readonly #nodes: string[] = [];
  #numbers = 0;

  constructor(port: ClientsPort) {
    this.#port = port;
  }

  #number(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  /** A burst of launches, and what their workflows wait for. */
  burst(): void {
    const { time, random } = this.#port;
    const count = 2 + random.below(4);
    for (let n = 0; n < count; n += 1) time.add(random.between(0, BURST_MS), () => this.#launch(), '');
  }

  #launch(): void {
    const { random, oracle, note } = this.#port;
    const kind = this.#kind();
    if (this.#nodes.length < NODES) {
      this.#port.calls.ask(async ({ engine }) => {
        const { id } = await engine.nodes.create({ type: 'compute', name: `node ${this.#number()}` });
        note(`answered: node ${id}`);
        oracle.tags.set(id, []);
        this.#nodes.push(id);
        this.#launch();
      });
      return;
    }
    const nodeId = kind.onNode || random.chance(0.5) ? random.pick(this.#nodes) : null;
    if (random.chance(0.3)) this.#tag(random.pick(this.#nodes));
    this.#port.calls.ask(async ({ engine }) => {
      const { id } = await engine.launches.launch({ name: kind.graph, options: {}, nodeId });
      note(`answered: ${kind.graph} ${id}`);
      this.launches += 1;
      oracle.launched.set(id, kind);
      if (nodeId !== null) for (let n = 0; n < kind.signals; n += 1) this.#notify(id, nodeId, n);
      if (kind.isCancelled) this.#cancel(id);
      else if (random.chance(0.2)) this.#pause(id);
    });
  }

  #kind(): Kind {
    let left = this.#port.random.below(totalWeight);
    const found = kinds.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    return found as Kind;
  }

  /** Repeats the notification until it is answered, as installers do; some send it twice. */
  #notify(workflow: string, node: string, n: number): void {
    const { random, oracle, note } = this.#port;
    const nonce = `nonce-${this.#number()}`;
    const notify = async ({ engine }: WorldDaemon) => {
      const row = await engine.workflows.get(workflow);
      if (row === undefined || !isActive(row.status)) return;
      await engine.notifications.notify({ n }, node, { nonce });
      note(`answered: ${nonce}`);
      oracle.accepted.push({ workflow, nonce });
    };
    const afterMs = random.between(0, 6_000) * (n + 1);
    this.#port.calls.insist(afterMs, notify);
    if (random.chance(0.3)) this.#port.calls.insist(afterMs, notify);
  }

  #cancel(workflow: string): void {
    const { random, oracle, note } = this.#port;
    this.#port.calls.insist(random.between(500, 8_000), async ({ engine }) => {
      await engine.control.cancel(workflow);
      note(`answered: cancel ${workflow}`);
      oracle.cancelled.add(workflow);
    });
  }

  #pause(workflow: string): void {
    const { random, note } = this.#port;
    this.#port.calls.ask(async ({ engine }) => {
      await engine.control.pause(workflow);
      note(`answered: pause ${workflow}`);
    });
    this.#port.calls.insist(random.between(1_000, 10_000), async ({ engine }) => {
      const row = await engine.workflows.get(workflow);
      if (row === undefined || !isActive(row.status)) return;
      await engine.control.resume(workflow);
      note(`answered: resume ${workflow}`);
    });
  }

  #tag(node: string): void {
    const { oracle, note } = this.#port;
    const tag = `tag-${this.#number()}`;
    this.#port.calls.ask(async ({ engine }) => {
      await engine.nodes.tag(node, [tag]);
      note(`answered: ${tag}`);
      oracle.tags.get(node)?.push(tag);
    });
  }

  /** Asks about each workflow that is active at rest. */
  askWhy(): void {
    const { oracle } = this.#port;
    for (const id of oracle.activeWorkflows()) {
      this.#port.calls.ask(async ({ engine }) => {
        const why = await engine.diagnosis.whyWorkflow(id);
        oracle.explained(id, why?.waits.length ?? 0);
      });
    }
  }
}
