/** The lines of a console as they come: read again and again, because any process may write them. */
import { setTimeout } from 'node:timers/promises';
import type { ConsoleLine } from '../../api-port/machine-consoles.ts';
import type { ConsoleLog } from './console-log.ts';

const LOOK_MS = 500;
const LINES_PER_LOOK = 500;

/** Yields an empty list when there are no new lines. */
export async function* followLines(
  log: Pick<ConsoleLog, 'read'>,
  node: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<ConsoleLine[]> {
  for (let position = after; !signal.aborted; ) {
    const lines = await log.read(node, position, LINES_PER_LOOK);
    position = lines.at(-1)?.seq ?? position;
    yield lines;
    if (lines.length < LINES_PER_LOOK) await setTimeout(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}
