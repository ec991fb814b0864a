/**
 * The log of a machine's console: lines with the numbers 1, 2, 3 ... of their node, in batches.
 *
 * The id of a batch is its node and the number of its first line, which is one after the last line of the batch before: of two
 * writers that both believe to be the only one, the first gets the id, and the other learns that it has lost.
 */
import type { ConsoleLine } from '../../api-port/machine-consoles.ts';
import { isoOf, now } from '../../platform/lib/clock.ts';
import { type Collection, DuplicateError } from '../../platform/store/port.ts';
import type { StoredConsole, StoredLine, StoredLines } from './stored-console.ts';

export const LINES_PER_BATCH = 100;
const BATCHES_PER_READ = 20;

export class ConsoleLog {
  readonly #stored: Collection<StoredLines>;
  /** Lines that are kept of a node. */
  readonly #maximum: number;

  constructor(stored: Collection<StoredLines>, maximum: number) {
    this.#stored = stored;
    this.#maximum = maximum;
  }

  /**
   * May be repeated, also with more lines, if its outcome is unknown.
   * @param first the number of the first line
   * @returns the number of the last line that is stored; undefined: another writer was faster
   */
  async append(node: string, first: number, lines: readonly StoredLine[], by: string): Promise<number | undefined> {
    const id = `${node} ${first}`;
    const last = first + lines.length - 1;
    try {
      await this.#stored.insert({ id, node, first, last, lines: [...lines], by, createdAt: isoOf(now()) as string });
      return last;
    } catch (error) {
      if (!(error instanceof DuplicateError)) throw error;
      const present = await this.#stored.get(id);
      return present?.by === by ? present.last : undefined;
    }
  }

  /** Returns the lines after a position, oldest first. */
  async read(node: string, after: number, limit: number): Promise<ConsoleLine[]> {
    const lines: ConsoleLine[] = [];
    for (let position = after; lines.length < limit; ) {
      const batches = await this.#stored.find(
        { node, last: { $gt: position } },
        { sort: { last: 1 }, limit: BATCHES_PER_READ },
      );
      for (const batch of batches) lines.push(...linesOf(batch).filter(({ seq }) => seq > position));
      if (batches.length < BATCHES_PER_READ) break;
      position = batches.at(-1)?.last ?? position;
    }
    return lines.slice(0, limit);
  }

  /** Returns the numbers of the oldest and the newest line, and when the newest was written; undefined: there is none. */
  async range(node: string): Promise<{ first: number; last: number; at: string } | undefined> {
    const [[oldest], [newest]] = (await Promise.all(
      ([1, -1] as const).map((order) => this.#stored.find({ node }, { sort: { last: order }, limit: 1 })),
    )) as [StoredLines[], StoredLines[]];
    return oldest && newest && { first: oldest.first, last: newest.last, at: newest.createdAt };
  }

  /** Removes the batches whose lines are older than those that are kept. */
  async trim(node: string, last: number): Promise<void> {
    await this.#stored.remove({ node, last: { $lte: last - this.#maximum } });
  }

  async removeBefore(before: string): Promise<void> {
    await this.#stored.remove({ createdAt: { $lt: before } });
  }
}

/** Deletes the console of a node that is deleted. Lines that a capture adds at that moment stay until they are old. */
export const forgettingConsoles = (
  stored: Pick<Collection<StoredConsole>, 'remove'>,
  lines: Pick<Collection<StoredLines>, 'remove'>,
) => ({
  async forget(node: string): Promise<void> {
    await stored.remove({ id: node });
    await lines.remove({ node });
  },
});

const linesOf = ({ first, lines }: StoredLines): ConsoleLine[] =>
  lines.map((line, index) => ({ seq: first + index, ...line }));
