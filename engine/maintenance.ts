/**
 * Daily maintenance: deletes versions of definitions that no workflow is pinned to, actors of removed nodes, and
 * leftovers of uploads.
 */
import type { Bytes } from './blob-store.ts';
import type { Leases } from './cluster/leases.ts';
import type { Library } from './library/library.ts';
import { now } from './runtime/clock.ts';
import { pages } from './runtime/pages.ts';
import { type NodeRow, retiredBefore } from './step/node.ts';
import type { WorkflowRow } from './step/row.ts';
import type { Collection } from './store/port.ts';

const DAY_MS = 86_400_000;
/** Not at the start, when the daemon is busy. */
const FIRST_MS = 3_600_000;

export interface MaintenancePort {
  library: Pick<Library, 'prune'>;
  bytes: Pick<Bytes, 'prune' | 'sweep'>;
  workflows: Collection<WorkflowRow>;
  nodes: Collection<NodeRow>;
  leases: Pick<Leases, 'take'>;
  failed(error: unknown): void;
}

export class Maintenance {
  readonly #port: MaintenancePort;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();

  constructor(port: MaintenancePort) {
    this.#port = port;
  }

  start(afterMs = FIRST_MS): void {
    this.#timer = setTimeout(() => {
      this.#round = this.run().catch(this.#port.failed);
      this.start(DAY_MS);
    }, afterMs).unref();
  }

  async run(): Promise<void> {
    const { library, bytes, workflows, nodes, leases } = this.#port;
    // Each process prunes its own disk.
    await bytes.prune();
    if (!(await leases.take('upkeep'))) return;
    const inUse = new Set<string>();
    const active = { status: { $in: ['pending', 'running'] } };
    for await (const { definitionHash } of pages(workflows, active)) inUse.add(definitionHash);
    await library.prune(inUse);
    await nodes.remove(retiredBefore(new Date(now() - DAY_MS).toISOString()));
    await bytes.sweep();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#round;
  }
}
