/**
 * The teller: brings the notes of changes to the outbox, and sees to what a dead process left of them.
 *
 * 1. A change is there whether or not its event could be told at once: what could not be is told by the sweep.
 * 2. That a note was told is written down when nobody waits for it any more. Should that get lost, it is told again.
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

  /** @param born as of `Telling` */
  of<T extends Noted>(name: string, stored: Collection<T>, born: (document: T) => string): Telling<T> {
    const telling = new Telling(stored, this.#removals, name, born);
    this.#tellings.push(telling);
    return telling;
  }

  /** Resolves when none of them can be lost any more. @param known nodes that need not be looked up */
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

  /** A node that is gone has its removal told of, and needs no more. */
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

  /** On a duty. @param quietMs as of `Telling.left` */
  async sweep(quietMs: number): Promise<void> {
    for (const telling of this.#tellings) await inGroups(telling.left(quietMs), AT_ONCE, (left) => this.tell([left]));
  }

  async close(): Promise<void> {
    await Promise.all(this.#writing);
  }
}
