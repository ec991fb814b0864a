/**
 * Daily upkeep: forgets versions of definitions that no workflow is pinned to any more, and what uploads left behind.
 */
import type { Bytes } from './bytes.ts';
import type { Library } from './library/library.ts';
import type { Duties } from './peers/duties.ts';
import { pages } from './runtime/pages.ts';
import type { WorkflowRow } from './step/row.ts';
import type { Collection } from './store/port.ts';

const DAY_MS = 86_400_000;
/** Not at the start, when there is enough to do. */
const FIRST_MS = 3_600_000;

export interface UpkeepPort {
  library: Library;
  workflows: Collection<WorkflowRow>;
  bytes: Bytes;
  duties: Duties;
  failed(error: unknown): void;
}

export class Upkeep {
  readonly #library: Library;
  readonly #workflows: Collection<WorkflowRow>;
  readonly #bytes: Bytes;
  readonly #duties: Duties;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();

  constructor({ library, workflows, bytes, duties, failed }: UpkeepPort) {
    this.#library = library;
    this.#workflows = workflows;
    this.#bytes = bytes;
    this.#duties = duties;
    this.#failed = failed;
  }

  start(afterMs = FIRST_MS): void {
    this.#timer = setTimeout(() => {
      this.#round = this.run().catch(this.#failed);
      this.start(DAY_MS);
    }, afterMs).unref();
  }

  async run(): Promise<void> {
    // Of its own disk each process takes care itself.
    await this.#bytes.prune();
    if (!(await this.#duties.take('upkeep'))) return;
    const inUse = new Set<string>();
    const active = { status: { $in: ['pending', 'running'] } };
    for await (const { definitionHash } of pages(this.#workflows, active)) inUse.add(definitionHash);
    await this.#library.prune(inUse);
    await this.#bytes.sweep();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#round;
  }
}
