/**
 * Daily maintenance: deletes versions of definitions that no workflow is pinned to, actors of removed nodes, and
 * leftovers of uploads.
 */

import type { Cluster } from '../cluster/cluster.ts';
import { now } from '../lib/clock.ts';
import type { Reconciler } from '../lib/reconciler.ts';
import type { DefinitionLibrary } from '../library/library.ts';
import { type NodeRow, retiredBefore } from '../step/node.ts';
import type { WorkflowRow } from '../step/row.ts';
import { pages } from '../store/pages.ts';
import type { Collection } from '../store/port.ts';
import type { Bytes } from './blob-store.ts';

const DAY_MS = 86_400_000;
/** Not at the start, when the daemon is busy. */
const FIRST_MS = 3_600_000;

export interface MaintenancePort {
  library: Pick<DefinitionLibrary, 'prune'>;
  bytes: Pick<Bytes, 'prune' | 'sweep'>;
  workflows: Collection<WorkflowRow>;
  nodes: Collection<NodeRow>;
  cluster: Pick<Cluster, 'reconciler'>;
  failed(error: unknown): void;
}

export class Maintenance {
  readonly #port: MaintenancePort;
  readonly #reconciler: Reconciler;

  constructor(port: MaintenancePort) {
    this.#port = port;
    this.#reconciler = port.cluster.reconciler({
      name: 'maintenance',
      lease: 'upkeep',
      everyMs: DAY_MS,
      firstMs: FIRST_MS,
      // Each process prunes its own disk.
      local: () => port.bytes.prune(),
      pass: () => this.run(),
      failed: port.failed,
    });
  }

  start(): void {
    this.#reconciler.start();
  }

  async run(): Promise<void> {
    const { library, bytes, workflows, nodes } = this.#port;
    const inUse = new Set<string>();
    const active = { status: { $in: ['pending', 'running'] } };
    for await (const { definitionHash } of pages(workflows, active)) inUse.add(definitionHash);
    await library.prune(inUse);
    await nodes.remove(retiredBefore(new Date(now() - DAY_MS).toISOString()));
    await bytes.sweep();
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
  }
}
