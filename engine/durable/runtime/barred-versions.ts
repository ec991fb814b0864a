/**
 * The versions of graphs that must not run: one that stopped a daemon, and those that its author put within an hour of that.
 *
 * Owns the list in memory; the suspects in the store are its source.
 *
 * 1. A version that is barred in memory is looked up in the store before anything is rejected or quarantined because of it
 *    (`confirm`), so a release counts in all daemons with its answer.
 * 2. A change is announced to the other daemons, so that they bar the version too. If the message is lost, such a daemon
 *    runs it, and may die of it once.
 * 3. A release also lifts the bars of workflows without a row (`barred.ts`) that the version stopped at their launch. If the
 *    process dies in between, the version is still barred, and the release can be repeated.
 */

import type { Provenance } from '../../library/versions/provenance.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Channel } from '../../platform/queue/port.ts';
import { type FlatError, NodewrightError } from '../../vocabulary/errors.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import { isOld, type Suspect, type Suspects } from '../watchdog/suspects.ts';

const AUTHOR_MS = HOUR_MS;

const VERSION = 'version ';
export const versionId = (hash: string): string => `${VERSION}${hash}`;
export const isVersionId = (id: string): boolean => id.startsWith(VERSION);
const hashIn = (id: string): string => id.slice(VERSION.length);

/** Why a version does not run. */
export interface VersionBar {
  /** ISO 8601. */
  since: string;
  reason: string;
}

export interface BarredVersionsOptions {
  suspects: Pick<Suspects, 'all' | 'forget'>;
  /** Tells all processes that the suspects have changed. */
  changes: Channel<string>;
  /** Whether there is such a workflow. */
  hasRow(id: string): Promise<boolean>;
  /** Receives all suspects each time they are read. */
  read(all: readonly Suspect[]): void;
  failed(error: unknown): void;
}

export class BarredVersions {
  readonly #options: BarredVersionsOptions;
  #stopped: readonly Suspect[] = [];
  /** Reads do not overlap, so that the last one to begin decides. Never rejects. */
  #tail: Promise<unknown> = Promise.resolve();
  #unsubscribe: (() => Promise<void>) | undefined;

  constructor(options: BarredVersionsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#options.changes.subscribe(() => void this.refresh().catch(this.#options.failed));
  }

  /** Reads the suspects again. */
  refresh(): Promise<readonly Suspect[]> {
    const reading = this.#tail.then(() => this.#read());
    this.#tail = reading.catch(() => {});
    return reading;
  }

  async #read(): Promise<readonly Suspect[]> {
    const all = await this.#options.suspects.all();
    this.#stopped = all.filter((suspect) => isVersionId(suspect.id) && !isOld(suspect, now()));
    this.#options.read(all);
    return all;
  }

  /** Called after a version was stored as a suspect. */
  async announce(): Promise<void> {
    await this.refresh();
    // The change is saved already; rule 2.
    await this.#options.changes.publish('').catch(() => {});
  }

  /** Returns what stopped a daemon and bars this version; itself first. */
  #barring({ version, author, putAt = 0 }: Provenance): Suspect[] {
    if (this.#stopped.length === 0 || version === undefined) return [];
    const own = versionId(version);
    const isNear = ({ at }: Suspect) => Math.abs(putAt - Date.parse(at)) <= AUTHOR_MS;
    const isBarring = (stopped: Suspect) =>
      stopped.id === own || (author !== undefined && stopped.author === author && isNear(stopped));
    return this.#stopped.filter(isBarring).sort(({ id }) => (id === own ? -1 : 1));
  }

  get isAnyBarred(): boolean {
    return this.#stopped.length > 0;
  }

  /** Returns why no code of a version may run; undefined: it may. */
  barOf(code: Provenance): VersionBar | undefined {
    const [stopped] = this.#barring(code);
    if (stopped === undefined) return undefined;
    const { id, at, author, error } = stopped;
    const isOwn = id === versionId(code.version ?? '');
    const about = isOwn ? '' : `another version of the same user, ${author}, stopped the daemon: `;
    return { since: at, reason: `${about}${error?.message}` };
  }

  /** The same as an error, which says what to do. */
  readonly errorOf = (code: Provenance): FlatError | undefined => {
    const [stopped] = this.#barring(code);
    const { reason } = this.barOf(code) ?? {};
    if (stopped === undefined || reason === undefined) return undefined;
    const release = `nw graph release ${stopped.graph} ${hashIn(stopped.id).slice(0, 12)}`;
    const message = `${reason}. Put a corrected version, or release this one (${release})`;
    return { name: 'NodewrightError', code: 'QUARANTINED', message };
  };

  /** Rule 1. */
  async confirm(code: Provenance): Promise<FlatError | undefined> {
    if (this.errorOf(code) !== undefined) await this.refresh();
    return this.errorOf(code);
  }

  /** @throws NodewrightError QUARANTINED */
  async reject(code: Provenance): Promise<void> {
    const error = await this.confirm(code);
    if (error !== undefined) throw new NodewrightError('QUARANTINED', error.message);
  }

  /** Lets the version run again, and those that are barred with it. @returns the hashes of those that had stopped a daemon */
  async release(code: Provenance): Promise<string[]> {
    const all = await this.refresh();
    const released = this.#barring(code).map(({ id }) => hashIn(id));
    for (const { id, version } of all) {
      const isOfThem = version !== undefined && released.includes(version) && !isVersionId(id);
      if (isOfThem && !(await this.#options.hasRow(id))) await this.#options.suspects.forget(id);
    }
    for (const hash of released) await this.#options.suspects.forget(versionId(hash));
    if (released.length > 0) await this.announce();
    return released;
  }

  async close(): Promise<void> {
    await this.#unsubscribe?.();
    await this.#tail;
  }
}
