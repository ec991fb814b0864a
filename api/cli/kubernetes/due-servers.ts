/** The servers of a cluster, and when each is looked at again. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

interface DueServer<T> {
  object: T;
  dueAt: number;
}

export class DueServers<T> {
  readonly #servers = new Map<string, DueServer<T>>();
  readonly #changed = new EventTarget();
  #isReplaced = false;

  /** Replaces all; each is due. */
  replaceAll(objects: Iterable<readonly [name: string, object: T]>): void {
    this.#isReplaced = true;
    this.#servers.clear();
    for (const [name, object] of objects) this.#servers.set(name, { object, dueAt: 0 });
    this.#changed.dispatchEvent(new Event('changed'));
  }

  set(name: string, object: T, dueAt = 0): void {
    this.#servers.set(name, { object, dueAt });
    this.#changed.dispatchEvent(new Event('changed'));
  }

  delete(name: string): void {
    this.#servers.delete(name);
  }

  get hasDue(): boolean {
    return [...this.#servers.values()].some(({ dueAt }) => dueAt <= Date.now());
  }

  /** Returns those that are due, and makes them due later. A change in the meantime makes one due again. */
  take(later: number): [name: string, object: T][] {
    this.#isReplaced = false;
    const due = [...this.#servers].filter(([, { dueAt }]) => dueAt <= Date.now());
    for (const [, server] of due) server.dueAt = later;
    return due.map(([name, { object }]) => [name, object]);
  }

  /** Makes one due at a time, unless a change has replaced its object. */
  postpone(name: string, object: T, dueAt: number): void {
    const server = this.#servers.get(name);
    if (server?.object === object) server.dueAt = dueAt;
  }

  /** Waits until one is due, or all are replaced, perhaps by none. @throws the reason of the signal */
  async some(signal: AbortSignal): Promise<void> {
    while (!this.#isReplaced) {
      signal.throwIfAborted();
      const next = Math.min(...[...this.#servers.values()].map(({ dueAt }) => dueAt));
      const ms = next - Date.now();
      if (ms <= 0) return;
      const end = new AbortController();
      const ended = AbortSignal.any([signal, end.signal]);
      const changed = once(this.#changed, 'changed', { signal: ended });
      const late = Number.isFinite(ms) ? [sleep(ms, undefined, { signal: ended })] : [];
      const waits = [changed, ...late];
      try {
        await Promise.race(waits);
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      } finally {
        end.abort();
        await Promise.allSettled(waits);
      }
    }
  }
}
