/**
 * Publishes the pending events of changes to the outbox, and publishes those that a dead process left behind.
 *
 * 1. A change is durable whether or not its event could be published at once; the sweep publishes the rest.
 * 2. The caller does not wait until a note is marked as published. If that write is lost, the event is published again.
 */
import type { Outbox } from '../events/outbox.ts';
import { byIds, inGroups } from '../runtime/pages.ts';
import type { Collection, Document } from '../store/port.ts';
import { type Note, nodePublication, type Untold } from './node-events.ts';
import type { Removals } from './removals.ts';
import { type Noted, Telling } from './telling.ts';

interface Typed extends Document {
  type: string;
}

const AT_ONCE = 50;

export class Teller {
  readonly #outbox: Pick<Outbox, 'publish'>;
  readonly #nodes: Collection<Typed>;
  readonly #removals: Removals;
  readonly #failed: (error: unknown) => void;
  readonly #tellings: Pick<Telling<Noted>, 'left'>[] = [];
  readonly #writing = new Set<Promise<unknown>>();

  constructor(
    outbox: Pick<Outbox, 'publish'>,
    nodes: Collection<Typed>,
    removals: Removals,
    failed: (error: unknown) => void,
  ) {
    this.#outbox = outbox;
    this.#nodes = nodes;
    this.#removals = removals;
    this.#failed = failed;
  }

  /** @param born as in the constructor of `Telling` */
  of<T extends Noted>(name: string, stored: Collection<T>, born: (document: T) => string): Telling<T> {
    const telling = new Telling(stored, this.#removals, name, born);
    this.#tellings.push(telling);
    return telling;
  }

  /** Resolves when none of the events can be lost any more. @param known nodes that need not be looked up */
  async tell(untold: readonly Untold[], known: readonly Typed[] = []): Promise<void> {
    try {
      await this.#outbox.publish(
        await this.#publications(
          untold.flatMap(({ notes }) => notes),
          known,
        ),
      );
    } catch (error) {
      return this.#failed(error);
    }
    for (const { told } of untold) this.#write(told());
  }

  /** Skips notes of deleted nodes: the deletion has an event of its own. */
  async #publications(notes: readonly Note[], known: readonly Typed[]) {
    const types = new Map(known.map(({ id, type }) => [id, type]));
    const unknown = notes.filter(({ node, nodeType }) => nodeType === undefined && !types.has(node));
    const found = await byIds(this.#nodes, [...new Set(unknown.map(({ node }) => node))]);
    for (const { id, type } of found) types.set(id, type);
    return notes.flatMap((note) => {
      const type = note.nodeType ?? types.get(note.node);
      return type === undefined ? [] : [nodePublication(note, type)];
    });
  }

  #write(told: Promise<unknown>): void {
    const written = told.catch(this.#failed).then(() => void this.#writing.delete(written));
    this.#writing.add(written);
  }

  /** Called by the lease holder. @param minAgeMs as in `Telling.left` */
  async sweep(minAgeMs: number): Promise<void> {
    for (const telling of this.#tellings) await inGroups(telling.left(minAgeMs), AT_ONCE, (left) => this.tell([left]));
  }

  async close(): Promise<void> {
    await Promise.all(this.#writing);
  }
}
