/**
 * Daily maintenance: deletes versions of definitions that no workflow is pinned to, actors of removed nodes, and
 * leftovers of uploads.
 */

import type { Cluster } from '../cluster/cluster.ts';
import { now } from '../lib/clock.ts';
import type { Reconciler } from '../lib/reconciler.ts';
import type { DefinitionLibrary } from '../library/library.ts';
import type { Records } from '../runtime/records.ts';
import { retiredBefore } from '../step/node.ts';
import { pages } from '../store/pages.ts';
import type { Bytes } from './blob-store.ts';

const DAY_MS = 86_400_000;
/** Not at the start, when the daemon is busy. */
const FIRST_MS = 3_600_000;

export class Maintenance {
  readonly #library: Pick<DefinitionLibrary, 'prune'>;
  readonly #bytes: Pick<Bytes, 'prune' | 'sweep'>;
  readonly #records: Pick<Records, 'storedWorkflows' | 'storedNodes' | 'nodes'>;
  readonly #reconciler: Reconciler;

  constructor(
    library: Pick<DefinitionLibrary, 'prune'>,
    bytes: Pick<Bytes, 'prune' | 'sweep'>,
    records: Pick<Records, 'storedWorkflows' | 'storedNodes' | 'nodes'>,
    cluster: Pick<Cluster, 'reconciler'>,
    failed: (error: unknown) => void,
  ) {
    this.#library = library;
    this.#bytes = bytes;
    this.#records = records;
    this.#reconciler = cluster.reconciler({
      name: 'maintenance',
      lease: 'upkeep',
      everyMs: DAY_MS,
      firstMs: FIRST_MS,
      // Each process prunes its own disk.
      local: () => bytes.prune(),
      pass: () => this.run(),
      failed,
    });
  }

  start(): void {
    this.#reconciler.start();
  }

  async run(): Promise<void> {
    const { storedWorkflows, storedNodes, nodes } = this.#records;
    const inUse = new Set<string>();
    const active = { status: { $in: ['pending', 'running'] } };
    for await (const { definitionHash } of pages(storedWorkflows, active)) inUse.add(definitionHash);
    await this.#library.prune(inUse);
    const retired = retiredBefore(new Date(now() - DAY_MS).toISOString());
    for await (const { id } of pages(storedNodes, retired)) await nodes.remove(id);
    await this.#bytes.sweep();
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
  }
}
