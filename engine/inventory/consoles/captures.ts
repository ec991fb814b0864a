/**
 * The captures of this process. The consoles that are on are shared out: each is captured by the process that its document
 * names (`by`), and any process takes one whose process is silent or has given it back. Two processes may briefly believe
 * that they capture the same console; the log then has the lines of one (`console-log.ts`).
 */
import { randomUUID } from 'node:crypto';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { ownerOf } from '../../platform/cluster/leases.ts';
import { Reconciler } from '../../platform/lib/reconciler.ts';
import type { Channel } from '../../platform/queue/port.ts';
import { pages, picking } from '../../platform/store/pages.ts';
import { Capture, type CaptureScope } from './capture.ts';
import type { StoredConsole } from './stored-console.ts';

/** A console that changed: it was switched, or has an input. */
export interface ConsoleChange {
  node: string;
}

export interface CapturesScope extends CaptureScope {
  cluster: Pick<Cluster, 'id' | 'isHeard'>;
  channel: Channel<ConsoleChange>;
}

const CAPTURE_INTERVAL_MS = 5_000;
/** While no console is on: one that is switched on is announced, and an announcement may be lost. */
const REST_INTERVAL_MS = 60_000;
const PASS_JITTER = 0.2;
/** A capture is a process of ipmitool. */
const CAPTURES_PER_PROCESS = 200;

export class Captures {
  readonly #port: CapturesScope;
  readonly #reconciler: Reconciler<'change'>;
  /** By node. */
  readonly #running = new Map<string, Capture>();
  /** As the last pass that succeeded found it. */
  #isAnyOn = true;
  #unsubscribe: (() => Promise<void>) | undefined;

  constructor(port: CapturesScope) {
    this.#port = port;
    this.#reconciler = new Reconciler({
      name: 'consoles',
      everyMs: () => (this.#isAnyOn ? CAPTURE_INTERVAL_MS : REST_INTERVAL_MS),
      jitter: PASS_JITTER,
      pass: () => this.#pass(),
      failed: port.failed,
    });
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#port.channel.subscribe(({ node }) => {
      const capture = this.#running.get(node);
      if (capture === undefined) void this.#reconciler.request('change');
      else void this.#renew(node, capture);
    });
    this.#reconciler.start();
  }

  async #pass(): Promise<void> {
    await Promise.all([...this.#running].map(([node, capture]) => this.#renew(node, capture)));
    const heard = new Map<string, boolean>();
    let isAnyOn = false;
    for await (const { id, by } of pages(picking<StoredConsole, 'by'>(this.#port.stored, ['by']), { on: true })) {
      isAnyOn = true;
      if (this.#running.size >= CAPTURES_PER_PROCESS) break;
      if (!this.#running.has(id) && (await this.#isFree(by, heard))) await this.#take(id, by);
    }
    this.#isAnyOn = isAnyOn;
  }

  async #isFree(by: string | null, heard: Map<string, boolean>): Promise<boolean> {
    if (by === null) return true;
    const owner = ownerOf(by);
    const { id, isHeard } = this.#port.cluster;
    // This process has given up what it does not run.
    if (owner === id) return true;
    const isPresent = heard.get(owner) ?? (await isHeard(owner));
    heard.set(owner, isPresent);
    return !isPresent;
  }

  async #take(node: string, from: string | null): Promise<void> {
    const by = `${this.#port.cluster.id} ${randomUUID()}`;
    const stored = await this.#port.stored.update({ id: node, on: true, by: from }, { $set: { by } });
    if (stored === undefined) return;
    const capture = new Capture(this.#port, stored, by);
    this.#running.set(node, capture);
    void capture.end.then(() => {
      if (this.#running.get(node) === capture) this.#running.delete(node);
    });
  }

  async #renew(node: string, capture: Capture): Promise<void> {
    try {
      if (await capture.renew()) return;
    } catch (error) {
      this.#port.failed(error); // the store may answer again
      return;
    }
    await capture.close();
    // It may be on again, with another source.
    void this.#reconciler.request('change');
    if (this.#running.get(node) === capture) this.#running.delete(node);
  }

  /** Gives all consoles back: another process takes them with its next pass. */
  async close(): Promise<void> {
    await this.#unsubscribe?.();
    await this.#reconciler.close();
    await Promise.all([...this.#running.values()].map((capture) => capture.close()));
  }
}
