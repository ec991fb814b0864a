/**
 * The events of a campaign as listeners receive them, by workflow: starts, ends, and the longest gap between events.
 */
import type { EventPayload } from '../../engine/vocabulary/event.ts';
import type { Heard } from '../support/servers/hearing.ts';
import type { Findings } from './findings.ts';
import { kindOf } from './kinds.ts';

interface Told {
  started: Set<string>;
  finished: Set<string>;
  /** Time of the last event, ms. */
  last: number;
}

export class Events {
  readonly #findings: Findings;
  readonly #told = new Map<string, Told>();
  count = 0;
  /** The longest gap between two events of a workflow that waits for no input, ms. */
  longestMs = 0;
  longest = '';

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  add({ id, body }: Pick<Heard, 'id' | 'body'>): void {
    this.count += 1;
    const event = body as unknown as EventPayload;
    if (event.type !== 'graph') return;
    if (id !== event.id) this.#findings.add('events', `${event.typeId}: message ${id} holds event ${event.id}`);
    const told = this.#told.get(event.typeId) ?? { started: new Set(), finished: new Set(), last: 0 };
    this.#told.set(event.typeId, told);
    if (event.action === 'started' || event.action === 'finished') told[event.action].add(event.id);
    this.#time(told, event);
  }

  #time(told: Told, { createdAt, typeId, data }: EventPayload): void {
    const at = Date.parse(createdAt);
    const still = told.last === 0 ? 0 : at - told.last;
    told.last = Math.max(told.last, at);
    if (still <= this.longestMs || !kindOf(data.injectableName as string)?.steady) return;
    [this.longestMs, this.longest] = [still, `${typeId} ${data.graphName} until ${createdAt}`];
  }

  /** Returns the missing starts and ends of these workflows. */
  missing(workflows: Iterable<string>): string[] {
    return [...workflows].flatMap((id) => {
      const told = this.#told.get(id);
      const gaps = (['started', 'finished'] as const).filter((action) => !told?.[action].size);
      return gaps.map((action) => `${id}: graph.${action} was not heard`);
    });
  }

  /** Returns workflows with a start or an end under two ids. */
  get split(): string[] {
    return [...this.#told]
      .filter(([, { started, finished }]) => started.size > 1 || finished.size > 1)
      .map(([id, { started, finished }]) => `${id} started ${[...started]} finished ${[...finished]}`);
  }
}
