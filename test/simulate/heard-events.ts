/** The events that the broker took: in their order, under one id, and about what is saved. */
import type { VirtualWorld } from '../../engine/assembly/virtual-world.ts';
import type { EventPayload, Publication } from '../../engine/vocabulary/event.ts';
import { isActive } from '../../engine/vocabulary/states.ts';
import type { Rule } from './oracle-rules.ts';

/** The events of one workflow. */
interface Heard {
  /** By number, the id. */
  ids: Map<number, string>;
  /** The ids of its end. */
  ends: Set<string>;
}

export class HeardEvents {
  readonly #world: VirtualWorld;
  readonly #fail: (rule: Rule, found: string) => void;
  readonly #workflows = new Map<string, Heard>();
  /** By id, what it is: heard since the event log was read. */
  readonly #unlogged = new Map<string, string>();

  constructor(world: VirtualWorld, fail: (rule: Rule, found: string) => void) {
    this.#world = world;
    this.#fail = fail;
  }

  hear({ body }: Publication, note: (line: string) => void): void {
    const { id, type, typeId, action, n } = body as EventPayload;
    note(`heard: ${type} ${action} ${typeId} ${n ?? ''}`);
    if (type !== 'graph') return;
    const heard = this.#workflows.get(typeId) ?? { ids: new Map<number, string>(), ends: new Set<string>() };
    this.#workflows.set(typeId, heard);
    const row = this.#world.rows.workflows.get(typeId);
    if (row === undefined) this.#fail('SAVED', `an event of ${typeId}, which is not saved`);
    if (typeof n === 'number') this.#number(typeId, heard, n, id);
    if (action !== 'finished') return;
    heard.ends.add(id);
    if (row !== undefined && isActive(row.status)) this.#fail('SAVED', `the end of ${typeId}, which is ${row.status}`);
    if (heard.ends.size > 1) this.#fail('EVENT_ONCE', `${typeId} has finished under two ids`);
  }

  #number(workflow: string, { ids }: Heard, n: number, id: string): void {
    const before = ids.get(n);
    if (before !== undefined && before !== id) this.#fail('EVENT_ONCE', `the event ${n} of ${workflow} has two ids`);
    if (before === undefined && n !== ids.size + 1) {
      this.#fail('EVENT_ORDER', `of ${workflow} came the event ${n} after the event ${ids.size}`);
    }
    if (before === undefined) this.#unlogged.set(id, `the event ${n} of ${workflow}`);
    ids.set(n, id);
  }

  checkEnded(workflow: string): void {
    if (this.#workflows.get(workflow)?.ends.size === 1) return;
    this.#fail('EVENT_KEPT', `the end of ${workflow} was not published`);
  }

  /** @param logged ids of the events in the event log */
  checkLog(logged: ReadonlySet<string>): void {
    for (const [id, event] of this.#unlogged) {
      if (logged.has(id)) this.#unlogged.delete(id);
      else this.#fail('EVENT_LOGGED', `${event} is not in the event log`);
    }
  }

  forget(workflows: Iterable<string>): void {
    for (const id of workflows) this.#workflows.delete(id);
  }
}
