/**
 * The workflows without a row that must not take their first step, because it crashes the daemon (`quarantine.ts`), and the
 * versions of graphs that must not run: one that stopped a daemon, and those that its author put within an hour of that.
 *
 * Owns the list in memory; the suspects in the store are its source. Deletes a suspect when its workflow was released
 * or has ended.
 */

import type { Provenance } from '../../library/versions/provenance.ts';
import { type FlatError, NodewrightError } from '../../vocabulary/errors.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import { CHECK_LAUNCH } from '../watchdog/marker.ts';
import type { Suspects } from '../watchdog/suspects.ts';

/** A version of a graph that stopped a daemon. */
export interface StoppedVersion {
  error: FlatError;
  author: string | undefined;
  /** ms since the epoch. */
  at: number;
}

const AUTHOR_MS = HOUR_MS;
const isNear = (putAt: number, at: number): boolean => Math.abs(putAt - at) <= AUTHOR_MS;

const VERSION = 'version ';
export const versionId = ({ version }: Provenance): string => `${VERSION}${version}`;
export const isVersionId = (id: string): boolean => id.startsWith(VERSION);

export class BarredWorkflows {
  readonly #suspects: Pick<Suspects, 'forget'>;
  readonly #failed: (what: string, error: unknown) => void;
  readonly #errors = new Map<string, FlatError>();
  /** Those of the workflows above whose launch crashed the daemon. */
  readonly #rejected = new Set<string>();
  readonly #versions = new Map<string, StoppedVersion>();
  #forgetting: Promise<void> = Promise.resolve();

  constructor(suspects: Pick<Suspects, 'forget'>, failed: (what: string, error: unknown) => void) {
    this.#suspects = suspects;
    this.#failed = failed;
  }

  /** @param cause the code that crashed the daemon */
  bar(id: string, error: FlatError, cause: string): void {
    this.#errors.set(id, error);
    if (cause === CHECK_LAUNCH) this.#rejected.add(id);
  }

  barVersion(id: string, version: StoppedVersion): void {
    this.#versions.set(id, version);
  }

  /** Returns why no code of a version may run; undefined: it may. */
  readonly errorOfVersion = (code: Provenance): FlatError | undefined => {
    const [id, stopped] = this.#barring(code)[0] ?? [];
    if (stopped === undefined || id === versionId(code)) return stopped?.error;
    const { error, author } = stopped;
    return { ...error, message: `another version of the same user, ${author}, stopped the daemon: ${error.message}` };
  };

  /** @throws NodewrightError QUARANTINED */
  rejectVersion(code: Provenance): void {
    const error = this.errorOfVersion(code);
    if (error !== undefined) throw new NodewrightError('QUARANTINED', error.message);
  }

  /** Called when a workflow of the version was released. */
  releaseVersion(code: Provenance): void {
    for (const [id] of this.#barring(code)) {
      this.#versions.delete(id);
      this.#forget(id);
    }
  }

  /** Returns the version itself first. */
  #barring(code: Provenance): [id: string, stopped: StoppedVersion][] {
    if (this.#versions.size === 0 || code.version === undefined) return [];
    const { author, putAt = 0 } = code;
    const own = versionId(code);
    return [...this.#versions]
      .filter(([id, stopped]) => id === own || (author === stopped.author && isNear(putAt, stopped.at) && author))
      .sort(([id]) => (id === own ? -1 : 1));
  }

  /** Returns why a workflow must not take its first step; undefined if it may. */
  errorOf(id: string): FlatError | undefined {
    return this.#errors.get(id);
  }

  /** @throws NodewrightError QUARANTINED if an earlier launch with this id crashed the daemon before the row existed */
  reject(id: string): void {
    const error = this.#rejected.has(id) ? this.#errors.get(id) : undefined;
    if (error !== undefined) throw new NodewrightError('QUARANTINED', error.message);
  }

  /** Called when the workflow was released or has ended. */
  forget(id: string): void {
    this.#errors.delete(id);
    this.#rejected.delete(id);
    this.#forget(id);
  }

  #forget(id: string): void {
    this.#forgetting = this.#forgetting
      .then(() => this.#suspects.forget(id))
      .catch((error) => this.#failed('quarantine', error));
  }

  close(): Promise<void> {
    return this.#forgetting;
  }
}
