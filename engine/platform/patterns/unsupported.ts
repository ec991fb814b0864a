/** Reports stored records with unsupported patterns, which an earlier version accepted, once each. */
import { LRUCache } from 'lru-cache';
import type { Violation } from '../../vocabulary/errors.ts';

export type ReportUnsupported = (id: string, violations: readonly Violation[]) => void;

/** Maximum remembered reports. */
const REMEMBERED = 1_000;

export class UnsupportedPatterns {
  readonly #report: ReportUnsupported;
  readonly #reported = new LRUCache<string, string>({ max: REMEMBERED });

  constructor(report: ReportUnsupported) {
    this.#report = report;
  }

  check(id: string, violations: readonly Violation[]): void {
    if (violations.length === 0) return;
    const text = JSON.stringify(violations);
    if (this.#reported.get(id) === text) return;
    this.#reported.set(id, text);
    this.#report(id, violations);
  }
}
