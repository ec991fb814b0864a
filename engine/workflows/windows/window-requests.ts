/** Windows: stored times at which changes may begin. Of concurrent changes the last one is kept. */
import { randomUUID } from 'node:crypto';
import type { PlannedTime } from '../../api-port/calendar.ts';
import type { Page, PagedList } from '../../api-port/page.ts';
import type {
  NewWindow,
  WindowChange,
  WindowPreview,
  WindowPreviewBody,
  WindowRecord,
  Windows,
} from '../../api-port/windows.ts';
import { now } from '../../platform/lib/clock.ts';
import { isZone } from '../../platform/lib/zone-time.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import { NodewrightError, rejectViolations, type Violation } from '../../vocabulary/errors.ts';
import { plannedTimes } from '../planned-times.ts';
import { firstOpenings, openingsBetween, windowState } from './window-state.ts';

export type StoredWindow = Omit<WindowRecord, 'open' | 'closesAt' | 'next'>;

export const windowSpec: CollectionSpec = {
  name: 'windows',
  indexes: { name: 'text', zone: 'text', createdAt: 'text', updatedAt: 'text' },
  scanned: { createdBy: 'text' },
};

/** Names what uses a window, such as `the rollout <id>`; undefined: nothing of its kind does. */
export type WindowUse = (window: string) => Promise<string | undefined>;

const WINDOWS = 1_000;
const PREVIEWED_OPENINGS = 5;

const time = (): string => new Date(now()).toISOString();

export class WindowRequests implements Windows {
  readonly #stored: Collection<StoredWindow>;
  readonly #uses: WindowUse[] = [];

  constructor(stored: Collection<StoredWindow>) {
    this.#stored = stored;
  }

  /** Keeps windows that something uses from being removed. */
  addUse(use: WindowUse): void {
    this.#uses.push(use);
  }

  async list({ filter, ...page }: Page): Promise<PagedList<WindowRecord>> {
    const stored = await this.#stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: stored.map(recordOf), total: await this.#stored.count(filter) };
  }

  async timesBetween(from: number, to: number): Promise<PlannedTime[]> {
    const stored = await this.#stored.find({}, { limit: WINDOWS });
    return stored.flatMap((window) => {
      const of = { kind: 'window', id: window.id, name: window.name, graph: null } as const;
      return plannedTimes(of, openingsBetween(window, from, to));
    });
  }

  async get(id: string): Promise<WindowRecord | undefined> {
    const stored = await this.#stored.get(id);
    return stored && recordOf(stored);
  }

  preview({ closed = [], ...times }: WindowPreviewBody): WindowPreview {
    const window = { ...times, closed };
    rejectViolations(windowViolations(window));
    return { next: firstOpenings(window, now(), PREVIEWED_OPENINGS) };
  }

  async create({ closed = [], leadMinutes = 0, ...given }: NewWindow, by?: string): Promise<WindowRecord> {
    const window = { ...given, closed, leadMinutes };
    rejectViolations(windowViolations(window));
    if ((await this.#stored.count({})) >= WINDOWS)
      throw new NodewrightError('CONFLICT', `there are ${WINDOWS} windows; remove one first`);
    const at = time();
    const stored = { id: randomUUID(), ...window, createdAt: at, updatedAt: at, createdBy: by ?? null };
    await this.#stored.insert(stored);
    return recordOf(stored);
  }

  async change(id: string, change: WindowChange): Promise<WindowRecord | undefined> {
    rejectViolations(windowViolations(change));
    const stored = await this.#stored.update({ id }, { $set: { ...change, updatedAt: time() } });
    return stored && recordOf(stored);
  }

  async remove(id: string): Promise<boolean> {
    for (const use of this.#uses) {
      const user = await use(id);
      if (user !== undefined) throw new NodewrightError('CONFLICT', `the window ${id} is in use by ${user}`);
    }
    return (await this.#stored.remove({ id })) > 0;
  }
}

const recordOf = (stored: StoredWindow): WindowRecord => ({ ...stored, ...windowState(stored, now()) });

/** Returns the mistakes in the zone and the closures. */
export function windowViolations({ zone, closed = [] }: WindowChange): Violation[] {
  const isUnknown = zone !== undefined && !isZone(zone);
  const zoneViolations = isUnknown
    ? [{ path: 'zone', message: `is ${zone}; expected an IANA zone, such as Europe/Berlin` }]
    : [];
  const closedViolations = closed.flatMap(({ from, to }, at) =>
    Date.parse(from) < Date.parse(to)
      ? []
      : [{ path: `closed.${at}.to`, message: `is ${to}; expected a time after ${from}` }],
  );
  return [...zoneViolations, ...closedViolations];
}
