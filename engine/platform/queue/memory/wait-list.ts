/** Waiting jobs, oldest first. A doubly linked list: any job can be removed immediately, and none is moved for it. */
import type { StoredJob } from './stored-job.ts';

export class WaitList {
  #first: StoredJob | undefined;
  #last: StoredJob | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a job behind all others. */
  push(job: StoredJob): void {
    job.before = this.#last;
    if (this.#last === undefined) this.#first = job;
    else this.#last.after = job;
    this.#last = job;
    this.#size += 1;
  }

  /** Adds a job before all others. */
  unshift(job: StoredJob): void {
    job.after = this.#first;
    if (this.#first === undefined) this.#last = job;
    else this.#first.before = job;
    this.#first = job;
    this.#size += 1;
  }

  shift(): StoredJob | undefined {
    const job = this.#first;
    if (job !== undefined) this.remove(job);
    return job;
  }

  remove(job: StoredJob): void {
    const { before, after } = job;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    job.before = undefined;
    job.after = undefined;
    this.#size -= 1;
  }

  *[Symbol.iterator](): Iterator<StoredJob> {
    for (let job = this.#first; job !== undefined; job = job.after) yield job;
  }
}
