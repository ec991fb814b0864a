/** Reports stored records with patterns that are not supported, each once: an earlier version took them. */
import type { Fault } from '../define/errors.ts';
import { Lru } from '../lib/lru.ts';

export type ReportUnsupported = (id: string, faults: readonly Fault[]) => void;

/** Records that are remembered as reported. */
const REMEMBERED = 1_000;

export class UnsupportedPatterns {
  readonly #report: ReportUnsupported;
  readonly #reported = new Lru<string>(REMEMBERED);

  constructor(report: ReportUnsupported) {
    this.#report = report;
  }

  check(id: string, faults: readonly Fault[]): void {
    if (faults.length === 0) return;
    const text = JSON.stringify(faults);
    if (this.#reported.get(id) === text) return;
    this.#reported.set(id, text);
    this.#report(id, faults);
  }
}
