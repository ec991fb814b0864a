/**
 * Positions in a log that can only be read forwards: `after` a position, oldest first. The end is found by trying, and the
 * entries before a position by windows that grow.
 */

/** @returns the entries after a position, oldest first. @throws an error with `oldest` if that position is gone */
export type ReadAfter<T> = (after: number, limit: number) => Promise<readonly T[]>;

interface PositionedItem {
  seq: number;
}

/** Entries of one window. */
const WINDOW = 1_000;
const WINDOWS = 10;

const oldestIn = (error: unknown): number | undefined =>
  typeof error === 'object' && error !== null && 'oldest' in error ? (error.oldest as number | undefined) : undefined;

/** The next entry after a position, or after the oldest if that is gone; undefined: there is none. */
async function nextAfter<T extends PositionedItem>(read: ReadAfter<T>, after: number): Promise<number | undefined> {
  try {
    return (await read(after, 1))[0]?.seq;
  } catch (error) {
    const oldest = oldestIn(error);
    if (oldest === undefined) throw error;
    return oldest;
  }
}

/** The position of the newest entry; 0: the log is empty. @param from an earlier answer */
export async function newestPosition<T extends PositionedItem>(read: ReadAfter<T>, from = 0): Promise<number> {
  let knownPosition = from;
  let step = 1;
  for (;;) {
    const nextPosition = await nextAfter(read, knownPosition + step - 1);
    if (nextPosition === undefined) break;
    knownPosition = nextPosition;
    step *= 2;
  }
  // The newest is at `known` or later, and before `known + step`.
  for (let beyond = knownPosition + step; beyond - knownPosition > 1; ) {
    const middle = Math.floor((knownPosition + beyond) / 2);
    const nextPosition = await nextAfter(read, middle - 1);
    if (nextPosition === undefined) beyond = middle;
    else knownPosition = nextPosition;
  }
  return knownPosition;
}

export interface EarlierItems<T> {
  /** Oldest first. */
  items: T[];
  /** Positions before this one were not read. */
  from: number;
  /** Nothing is kept before `from`. */
  isAll: boolean;
}

/** Reads entries before a position, backwards, until some match or much was read. */
export async function readEarlier<T extends PositionedItem>(
  read: ReadAfter<T>,
  before: number,
  matches: (item: T) => boolean,
  enough: number,
): Promise<EarlierItems<T>> {
  let from = before;
  const items: T[] = [];
  for (let n = 0; n < WINDOWS && from > 1 && items.length < enough; n += 1) {
    const after = Math.max(0, from - 1 - WINDOW);
    const { found, start } = await windowOf(read, after, from);
    items.unshift(...found.filter(matches));
    from = start;
    if (start > after + 1) return { items, from, isAll: true };
  }
  return { items, from, isAll: from <= 1 };
}

/** @returns what is kept after `after` and before `before`; `start`: the first position that was asked for */
async function windowOf<T extends PositionedItem>(read: ReadAfter<T>, after: number, before: number) {
  try {
    const items = await read(after, WINDOW);
    return { found: items.filter(({ seq }) => seq < before), start: after + 1 };
  } catch (error) {
    const oldest = oldestIn(error);
    if (oldest === undefined) throw error;
    if (oldest >= before) return { found: [], start: before };
    const items = await read(oldest - 1, WINDOW);
    return { found: items.filter(({ seq }) => seq < before), start: oldest };
  }
}
