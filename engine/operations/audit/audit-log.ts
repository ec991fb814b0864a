/**
 * Appends entries to the audit log, in groups: entries that arrive while a group is written form the next one.
 *
 * 1. `reserve` gives room before a change is made, so that a change never lacks room for its entry; the queue is bounded.
 * 2. A group that cannot be stored is tried again until it is. While the store fails, callers do not wait for it.
 * 3. Entries that are not stored when the process stops are logged.
 *
 * If the process dies between a change and the end of its `append`, the change has no entry, and its request no answer;
 * while the store failed, also changes that were answered.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type { Audit, AuditCheck, AuditEntry, AuditPlace, AuditRecord } from '../../api-port/index.ts';
import { now } from '../../platform/lib/clock.ts';
import { pause } from '../../platform/lib/pause.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import { type AuditStore, GROUP_LIMIT, type NewRecord } from './audit-store.ts';
import { ChainCheck } from './chain.ts';

/** Entries that are reserved or not stored yet. */
const ROOM = 10_000;
const WRITE_RETRY_MS = 500;
const CLOSE_MS = 1_000;
/** A removal of old entries while they are verified looks like a gap. */
const VERIFY_ATTEMPTS = 5;

interface Pending {
  record: NewRecord;
  stored: () => void;
}

export interface AuditReports {
  failed(error: unknown): void;
  /** Reports entries that are lost from the chain. */
  lost(records: readonly NewRecord[]): void;
}

export class AuditLog implements Audit {
  readonly #store: AuditStore;
  readonly #reports: AuditReports;
  readonly #pending: Pending[] = [];
  readonly #closing = new AbortController();
  #reserved = 0;
  #isFailing = false;
  #writing: Promise<void> | undefined;
  #verifying: Promise<AuditCheck> | undefined;

  constructor(store: AuditStore, reports: AuditReports) {
    this.#store = store;
    this.#reports = reports;
  }

  reserve(): AuditPlace {
    if (this.#reserved + this.#pending.length >= ROOM) {
      throw new NodewrightError(
        'UNAVAILABLE',
        `${ROOM} entries of the audit log are not stored yet; nothing was changed`,
      );
    }
    this.#reserved += 1;
    let isFree = false;
    const free = () => {
      if (!isFree) this.#reserved -= 1;
      isFree = true;
    };
    const append = (record: AuditRecord, limitMs: number) => {
      free();
      return this.#append(record, limitMs);
    };
    return { free, append };
  }

  async #append(record: AuditRecord, limitMs: number): Promise<void> {
    const stored = new Promise<void>((resolve) => {
      this.#pending.push({ record: { ...record, at: new Date(now()).toISOString() }, stored: resolve });
    });
    this.#writing ??= this.#write();
    if (!this.#isFailing) await withTimeout(stored, limitMs, () => {});
  }

  async #write(): Promise<void> {
    // Requests of the same turn of the event loop go together.
    await Promise.resolve();
    while (this.#pending.length > 0 && !this.#closing.signal.aborted) {
      const group = this.#pending.slice(0, GROUP_LIMIT);
      if (!(await this.#storeGroup(group))) break;
      this.#pending.splice(0, group.length);
      for (const { stored } of group) stored();
    }
    this.#writing = undefined;
  }

  /** @returns false: the process stops */
  async #storeGroup(group: readonly Pending[]): Promise<boolean> {
    const records = group.map(({ record }) => record);
    const token = randomUUID();
    while (!this.#closing.signal.aborted) {
      try {
        await this.#store.append(records, token);
        this.#isFailing = false;
        return true;
      } catch (error) {
        // Reported once: the store may be away for an hour.
        if (!this.#isFailing) this.#reports.failed(error);
        this.#isFailing = true;
        for (const { stored } of this.#pending) stored();
        await after(WRITE_RETRY_MS, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    }
    return false;
  }

  async list(from: number, limit: number): Promise<AuditEntry[]> {
    const entries: AuditEntry[] = [];
    for await (const entry of this.#store.entries(from)) {
      entries.push(entry);
      if (entries.length >= limit) break;
    }
    return entries;
  }

  verify(): Promise<AuditCheck> {
    this.#verifying ??= this.#verify().finally(() => {
      this.#verifying = undefined;
    });
    return this.#verifying;
  }

  /** @throws NodewrightError UNAVAILABLE when the process stops */
  async #verify(): Promise<AuditCheck> {
    for (let attempt = 1; ; attempt += 1) {
      const { seq, hash } = await this.#store.anchor();
      const check = new ChainCheck({ seq, hash });
      for await (const entry of this.#store.entries(seq)) {
        if (this.#closing.signal.aborted) throw new NodewrightError('UNAVAILABLE', 'the daemon is stopping');
        if (!check.add(entry)) break;
        await pause();
      }
      if (check.result.ok || attempt >= VERIFY_ATTEMPTS || (await this.#store.anchor()).seq === seq)
        return check.result;
    }
  }

  async close(): Promise<void> {
    await withTimeout(this.#writing ?? Promise.resolve(), CLOSE_MS, () => {});
    this.#closing.abort();
    await withTimeout(this.#writing ?? Promise.resolve(), CLOSE_MS, () => {});
    await this.#verifying?.catch(() => {});
    if (this.#pending.length > 0) this.#reports.lost(this.#pending.map(({ record }) => record));
  }
}
