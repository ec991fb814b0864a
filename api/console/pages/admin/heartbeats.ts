/** Processes, by their heartbeats. */
import type { LogEvent } from '../../../client/follow-events.ts';

export interface DaemonProcess {
  key: string;
  host: string;
  pid: number;
  version: string;
  /** Bytes. */
  memory: number;
  cpu: string;
  at: string;
  /** The heartbeat that should have followed is missing. */
  isSilent: boolean;
}

/** ms that a heartbeat may be late. */
const LATE_MS = 5_000;

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** One row for each process, by its latest heartbeat. @param now ms since 1970, of the daemon's clock */
export function processesIn(events: readonly LogEvent[], now: number): DaemonProcess[] {
  const latest = new Map<string, LogEvent>();
  for (const event of events) {
    if (event.type !== 'heartbeat') continue;
    const key = `${event.typeId} ${String(event.data.pid)}`;
    const latestEvent = latest.get(key);
    if (latestEvent === undefined || latestEvent.seq < event.seq) latest.set(key, event);
  }
  return [...latest]
    .map(([key, { typeId, createdAt, data }]): DaemonProcess => {
      const next = Date.parse(String(data.nextUpdate));
      return {
        key,
        host: typeId.replace(/\.nodewright$/, ''),
        pid: Number(data.pid),
        version: String(objectOf(data.versions).node ?? ''),
        memory: Number(objectOf(data.memoryUsage).rss ?? 0),
        cpu: String(data.cpuUsage ?? ''),
        at: createdAt,
        isSilent: next + LATE_MS < now,
      };
    })
    .sort((one, other) => one.key.localeCompare(other.key));
}

export interface Metric {
  name: string;
  labels: string;
  value: string;
}

/** Own metrics of a daemon without those of distributions, from the text of Prometheus. */
export function metricsIn(text: string): Metric[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value = ''] = /^(nodewright_\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    return name === '' || /_(bucket|sum)$/.test(name) ? [] : [{ name, labels, value }];
  });
}
