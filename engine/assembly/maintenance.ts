/**
 * Daily maintenance: deletes actors of removed nodes, and leftovers of uploads and imports. Records that age have their
 * retention (`platform/cluster/retention.ts`).
 */

import type { Records } from '../durable/runtime/records.ts';
import { retiredBefore } from '../durable/step/node.ts';
import type { DefinitionLibrary } from '../library/versions/library.ts';
import type { Cluster } from '../platform/cluster/cluster.ts';
import { now } from '../platform/lib/clock.ts';
import type { Reconciler } from '../platform/lib/reconciler.ts';
import { pages } from '../platform/store/pages.ts';
import { DAY_MS, HOUR_MS } from '../vocabulary/units.ts';
import type { Bytes } from './blob-store.ts';

/** Not at the start, when the daemon is busy. */
const FIRST_MS = HOUR_MS;

export class Maintenance {
  readonly #bytes: Pick<Bytes, 'prune' | 'sweep'>;
  readonly #records: Pick<Records, 'storedNodes' | 'nodes'>;
  readonly #reconciler: Reconciler;

  constructor(
    library: Pick<DefinitionLibrary, 'sweep'>,
    bytes: Pick<Bytes, 'prune' | 'sweep'>,
    records: Pick<Records, 'storedNodes' | 'nodes'>,
    cluster: Pick<Cluster, 'reconciler'>,
    failed: (error: unknown) => void,
  ) {
    this.#bytes = bytes;
    this.#records = records;
    this.#reconciler = cluster.reconciler({
      name: 'maintenance',
      lease: 'upkeep',
      everyMs: DAY_MS,
      firstMs: FIRST_MS,
      // Each process prunes its own disk.
      local: async () => {
        await Promise.all([bytes.prune(), library.sweep()]);
      },
      pass: () => this.run(),
      failed,
    });
  }

  start(): void {
    this.#reconciler.start();
  }

  async run(): Promise<void> {
    const { storedNodes, nodes } = this.#records;
    const retired = retiredBefore(new Date(now() - DAY_MS).toISOString());
    for await (const { id } of pages(storedNodes, retired)) await nodes.remove(id);
    await this.#bytes.sweep();
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
  }
}
