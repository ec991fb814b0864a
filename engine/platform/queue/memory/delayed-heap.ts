/**
 * Delayed jobs, the one that is due soonest first; of those due in the same ms, the one that was added first. A binary
 * heap in which each job knows its index, so that adding and removing any job takes logarithmic time.
 */
import type { StoredJob } from './stored-job.ts';

const isSooner = (one: StoredJob, other: StoredJob): boolean =>
  one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.order < other.order);

export class DelayedHeap {
  readonly #heap: StoredJob[] = [];
  #added = 0;

  get size(): number {
    return this.#heap.length;
  }

  get first(): StoredJob | undefined {
    return this.#heap[0];
  }

  /** @param dueAt ms since the epoch */
  add(job: StoredJob, dueAt: number): void {
    job.dueAt = dueAt;
    job.order = this.#added++;
    this.#raise(job, this.#heap.length);
  }

  remove(job: StoredJob): void {
    const { index } = job;
    const last = this.#heap.pop();
    job.index = -1;
    if (last === undefined || last === job) return;
    const parent = this.#heap[(index - 1) >> 1];
    if (index > 0 && parent !== undefined && isSooner(last, parent)) this.#raise(last, index);
    else this.#sink(last, index);
  }

  #raise(job: StoredJob, from: number): void {
    let index = from;
    while (index > 0) {
      const parent = this.#heap[(index - 1) >> 1] as StoredJob;
      if (!isSooner(job, parent)) break;
      this.#put(parent, index);
      index = (index - 1) >> 1;
    }
    this.#put(job, index);
  }

  #sink(job: StoredJob, from: number): void {
    let index = from;
    for (;;) {
      const child = this.#soonerChild(index);
      if (child === undefined || !isSooner(child, job)) break;
      const next = child.index;
      this.#put(child, index);
      index = next;
    }
    this.#put(job, index);
  }

  #soonerChild(index: number): StoredJob | undefined {
    const leftChild = this.#heap[2 * index + 1];
    const right = this.#heap[2 * index + 2];
    return leftChild !== undefined && right !== undefined && isSooner(right, leftChild) ? right : leftChild;
  }

  #put(job: StoredJob, index: number): void {
    this.#heap[index] = job;
    job.index = index;
  }
}
