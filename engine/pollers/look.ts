/**
 * Makes one poll: reads a machine's event log and publishes the new entries.
 *
 * 1. New entries are saved together with the read position, and published after that: an entry thus becomes one event
 *    with one id, even if the process dies in between, and of two concurrent polls only one is saved.
 * 2. A poll without new entries writes nothing.
 * 3. A machine that does not answer gets a back-off, which doubles each time.
 */
import { randomUUID } from 'node:crypto';
import { type ListedEvent, type Publication, publicationOf } from '../define/event.ts';
import { now } from '../lib/clock.ts';
import { type SelEntry, type SelMark, type SelNews, textOf } from '../obm/sel.ts';
import type { UnsupportedPatterns } from '../patterns/unsupported.ts';
import type { Collection } from '../store/port.ts';
import type { StoredPoller } from './record.ts';
import { alertViolations, severityOf } from './severity.ts';

export interface LookPort {
  stored: Collection<StoredPoller>;
  unsupported: UnsupportedPatterns;
  newsOf(node: string, mark: SelMark | undefined, signal: AbortSignal): Promise<SelNews>;
  publish(publications: readonly Publication[]): Promise<void>;
}

const REST_MAX_MS = 3_600_000;
const MESSAGE = 500;
/** Limit of events in one document: a log that is read for the first time may have thousands of entries. */
const TOGETHER = 200;

/** @returns false when the poller no longer exists */
export async function look(port: LookPort, id: string, signal: AbortSignal): Promise<boolean> {
  const found = await port.stored.get(id);
  if (found === undefined) return false;
  port.unsupported.check(id, alertViolations(found.config.alerts));
  const poller = await told(port, found);
  if (poller === undefined || poller.paused || rests(poller)) return true;
  try {
    const news = await port.newsOf(poller.node, poller.mark ?? undefined, signal);
    await keep(port, poller, news);
  } catch (error) {
    if (signal.aborted) return true;
    await save(port, poller, failed(poller, error));
  }
  return true;
}

const rests = ({ restsUntil }: StoredPoller): boolean => restsUntil !== null && Date.parse(restsUntil) > now();

const well = { failureCount: 0, lastError: null, restsUntil: null } as const;

/**
 * Saves the entries in parts; if this stops early, the mark of the last saved part is where the next poll continues.
 */
async function keep(port: LookPort, poller: StoredPoller, { entries, mark }: SelNews): Promise<void> {
  if (entries.length === 0 && mark === poller.mark && poller.failureCount === 0) return;
  let at: StoredPoller | undefined = poller;
  for (let from = 0; at !== undefined && (from === 0 || from < entries.length); from += TOGETHER) {
    const part = entries.slice(from, from + TOGETHER);
    const left = entries.length - from - part.length;
    const reached = left === 0 ? mark : partly(mark, part, left);
    const untold = await eventsOf(poller, part);
    const saved: StoredPoller | undefined = await save(port, at, { ...well, mark: reached, untold });
    at = saved && (await told(port, saved));
  }
}

const partly = (mark: SelMark, part: readonly SelEntry[], left: number): SelMark => ({
  entries: mark.entries - left,
  added: '',
  cleared: mark.cleared,
  last: textOf(part.at(-1) ?? {}),
});

/** @returns the poller without its published events; undefined after a concurrent change, whose process continues */
async function told(port: LookPort, poller: StoredPoller): Promise<StoredPoller | undefined> {
  if (poller.untold.length === 0) return poller;
  await port.publish(poller.untold.map(publicationOf));
  return save(port, poller, { untold: [] });
}

async function save({ stored }: LookPort, poller: StoredPoller, change: Partial<StoredPoller>) {
  const changed = { ...poller, ...change, version: poller.version + 1 };
  const [saved] = await stored.replace([changed]);
  return saved ? changed : undefined;
}

function failed({ failureCount, pollInterval }: StoredPoller, error: unknown): Partial<StoredPoller> {
  const { code = 'INTERNAL', message } = error as Error & { code?: string };
  const rest = Math.min(REST_MAX_MS, pollInterval * 2 ** Math.min(failureCount, 20));
  const lastError = { code: String(code), message: message.slice(0, MESSAGE) };
  return { failureCount: failureCount + 1, lastError, restsUntil: new Date(now() + rest).toISOString() };
}

async function eventsOf({ id, node, config }: StoredPoller, entries: readonly SelEntry[]): Promise<ListedEvent[]> {
  const events: ListedEvent[] = [];
  for (const entry of entries) {
    const severity = await severityOf(entry, config.alerts);
    events.push({
      id: randomUUID(),
      version: '1.0',
      type: 'polleralert',
      action: 'sel.updated',
      severity,
      typeId: id,
      createdAt: new Date(now()).toISOString(),
      nodeId: node,
      data: { pollerName: 'sel', nodeId: node, alert: entry },
    });
  }
  return events;
}
