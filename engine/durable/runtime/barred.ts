/**
 * The workflows without a row that must not take their first step, because it crashes the daemon (`quarantine.ts`).
 *
 * Owns the list in memory; the suspects in the store are its source. Deletes a suspect when its workflow was released
 * or has ended.
 */

import { type FlatError, NodewrightError } from '../../vocabulary/errors.ts';
import { CHECK_LAUNCH } from '../watchdog/marker.ts';
import type { Suspect, Suspects } from '../watchdog/suspects.ts';

export class BarredWorkflows {
  readonly #suspects: Pick<Suspects, 'forget'>;
  readonly #failed: (what: string, error: unknown) => void;
  readonly #errors = new Map<string, FlatError>();
  /** Those of the workflows above whose launch crashed the daemon. */
  readonly #rejected = new Set<string>();
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

  /** Returns why a workflow must not take its first step; undefined if it may. */
  errorOf(id: string): FlatError | undefined {
    return this.#errors.get(id);
  }

  /** @throws NodewrightError QUARANTINED if an earlier launch with this id crashed the daemon before the row existed */
  reject(id: string): void {
    const error = this.#rejected.has(id) ? this.#errors.get(id) : undefined;
    if (error !== undefined) throw new NodewrightError('QUARANTINED', error.message);
  }

  /** Lifts the bars whose suspects are gone, perhaps by a release in another daemon. @param all the stored suspects */
  readonly keepOnly = (all: readonly Suspect[]): void => {
    const stored = new Set(all.map(({ id }) => id));
    for (const id of this.#errors.keys()) if (!stored.has(id)) this.#lift(id);
  };

  /** Called when the workflow was released or has ended. */
  forget(id: string): void {
    this.#lift(id);
    this.#forgetting = this.#forgetting
      .then(() => this.#suspects.forget(id))
      .catch((error) => this.#failed('quarantine', error));
  }

  #lift(id: string): void {
    this.#errors.delete(id);
    this.#rejected.delete(id);
  }

  close(): Promise<void> {
    return this.#forgetting;
  }
}
