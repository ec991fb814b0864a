/**
 * Heartbeats: each process publishes its state at an interval. An old heartbeat is useless, so none is queued while the
 * broker is unavailable.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { Reconciler } from '../../platform/lib/reconciler.ts';
import { type ListedEvent, publicationOf } from '../../vocabulary/event.ts';
import type { Outbox } from './outbox.ts';

const SERVICE_NAME = 'nodewright';
const NAME_MS = 2_000;

export class Heartbeat {
  readonly #outbox: Outbox;
  #id: Promise<string> | undefined;
  #reconciler: Reconciler | undefined;
  #intervalMs = 0;
  #last: { at: number; cpu: NodeJS.CpuUsage } = { at: Date.now(), cpu: process.cpuUsage() };

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** @param seconds 0 disables it */
  every(seconds: number): void {
    const intervalMs = seconds * 1_000;
    if (intervalMs === this.#intervalMs) return;
    void this.close();
    this.#intervalMs = intervalMs;
    if (intervalMs === 0) return;
    this.#reconciler = new Reconciler({
      name: 'heartbeat',
      everyMs: intervalMs,
      pass: () => this.#beat(),
      failed: () => {}, // the next one is sent
    });
    this.#reconciler.start();
  }

  async #beat(): Promise<void> {
    // Resolving the name may take seconds: only a heartbeat waits for it.
    this.#id ??= fullName().then((fqdn) => `${fqdn}.${SERVICE_NAME}`);
    const id = await this.#id;
    const now = Date.now();
    const cpu = process.cpuUsage();
    const { at, cpu: before } = this.#last;
    const busyMs = (cpu.user + cpu.system - before.user - before.system) / 1_000;
    const share = now > at ? Math.round((100 * busyMs) / (now - at)) : 0;
    this.#outbox.sendNow(publicationOf(this.#event(id, now, at, `${share}%`)));
    this.#last = { at: now, cpu };
  }

  #event(typeId: string, now: number, last: number, cpuUsage: string): ListedEvent {
    const { rss, heapTotal, heapUsed } = process.memoryUsage();
    return {
      id: randomUUID(),
      version: '1.0',
      type: 'heartbeat',
      action: 'updated',
      severity: 'information',
      typeId,
      createdAt: new Date(now).toISOString(),
      nodeId: null,
      data: {
        name: SERVICE_NAME,
        title: process.title,
        pid: process.pid,
        uid: process.getuid?.() ?? 0,
        platform: process.platform,
        release: { ...process.release },
        versions: { ...process.versions },
        memoryUsage: { rss, heapTotal, heapUsed },
        currentTime: new Date(now).toISOString(),
        nextUpdate: new Date(now + this.#intervalMs).toISOString(),
        lastUpdate: new Date(last).toISOString(),
        cpuUsage,
      },
    };
  }

  async close(): Promise<void> {
    await this.#reconciler?.close();
  }
}

/** Returns the fully qualified name; Node.js provides only the short one. */
async function fullName(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('hostname', ['-f'], { timeout: NAME_MS });
    return stdout.trim() || hostname();
  } catch {
    return hostname();
  }
}
