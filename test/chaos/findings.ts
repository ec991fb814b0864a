/** The violations that a campaign found, with their evidence. */

/** The invariants of a campaign, by the name of their violation. */
const faults = {
  lost: 'a workflow that did not end, ended in a way that its kind forbids, or disappeared; an activity of it that never ran',
  doubled: 'a once activity that ran twice',
  events: 'a graph.started or graph.finished that is missing, or arrived under two ids',
  untrue: 'a 2xx answer that proved false',
  rollout: 'a rollout that launched a target twice or not at all, exceeded a limit, passed a gate, or did not end',
  unclear: 'a launch without an answer, of which the client could not find out whether there is a workflow',
  late: 'an answer that took longer than 10 s',
  broken: 'an answer of 5xx other than 503 with Retry-After, or a daemon that exited by itself',
} as const;

export type Fault = keyof typeof faults;

const forEach = <Value>(value: () => Value): Record<Fault, Value> =>
  Object.fromEntries(Object.keys(faults).map((fault) => [fault, value()])) as Record<Fault, Value>;

/** Number of violations printed per kind; all are counted. */
const SHOWN = 10;

export class Findings {
  readonly #texts = forEach((): string[] => []);
  readonly #counts = forEach(() => 0);
  readonly #logs: () => string[];

  /** @param logs returns the latest log lines of the daemons; called at the first violation of each kind */
  constructor(logs: () => string[]) {
    this.#logs = logs;
  }

  /** @param evidence ids, the last record */
  add(fault: Fault, evidence: string): void {
    this.#counts[fault] += 1;
    const text = `${new Date().toISOString()} ${evidence}`;
    if (this.#counts[fault] === 1) this.#texts[fault].push(text, ...this.#logs());
    else if (this.#counts[fault] <= SHOWN) this.#texts[fault].push(text);
  }

  get counts(): Readonly<Record<Fault, number>> {
    return this.#counts;
  }

  get total(): number {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
  }

  get lines(): string[] {
    return (Object.keys(faults) as Fault[]).flatMap((fault) => [
      ...(this.#counts[fault] > 0 ? [`${fault} (${this.#counts[fault]}): ${faults[fault]}`] : []),
      ...this.#texts[fault].map((text) => `  ${text}`),
    ]);
  }
}
