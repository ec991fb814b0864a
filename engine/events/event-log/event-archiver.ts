/**
 * Moves the tail of the event log to the archive, and removes events when their retention ends. One process does each for
 * all.
 *
 * If the process dies
 * - before a page is in the archive: the tail still has its events;
 * - after that, before they are dropped from the tail: the next pass drops them, and archives what follows;
 * - between the mark of removed events and their removal: they are gone for readers, and the next pass removes them.
 */
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { retention } from '../../platform/cluster/retention.ts';
import type { Reconciler } from '../../platform/lib/reconciler.ts';
import type { EventArchive } from './event-archive.ts';
import type { EventMarks } from './event-marks.ts';
import type { EventTail, Stretch } from './port.ts';

const MOVE_MS = 1_000;
const PAGE_EVENTS = 500;
const PAGE_CHARACTERS = 256 * 1024;

export type ArchiverCluster = Pick<Cluster, 'singleNode' | 'reconciler'>;

/** @param days 0: events are kept for ever */
export function eventReconcilers(
  cluster: ArchiverCluster,
  { tail, archive, marks }: { tail: EventTail; archive: EventArchive; marks: EventMarks },
  days: number,
  failed: (error: unknown) => void,
): Reconciler[] {
  const move = () =>
    cluster.reconciler({
      name: 'event archive',
      everyMs: MOVE_MS,
      pass: ({ goesOn }) => moveAll(tail, archive, goesOn),
      failed,
    });
  const tidying = retention(cluster, {
    name: 'event retention',
    days,
    async removeBefore(before, goesOn) {
      while ((await archive.removeBefore(before, (upTo) => marks.remove(upTo))) && (await goesOn()));
    },
    failed,
  });
  return [...(cluster.singleNode ? [] : [move()]), ...(tidying === undefined ? [] : [tidying])];
}

/** The archive says what is moved already; the tail may have it, if a process died or the server was restored. */
export async function moveAll(
  tail: EventTail,
  archive: EventArchive,
  goesOn: () => Promise<boolean> = async () => true,
): Promise<void> {
  let last = await archive.newestSeq();
  await tail.drop(last);
  do {
    const { stretches } = await tail.after(last);
    if (stretches.length === 0) return;
    for (const page of pagesOf(stretches)) {
      // Another process archives too; it continues.
      if (!(await archive.pack(page))) return;
      last = page.last;
    }
    await tail.drop(last);
  } while (await goesOn());
}

/** Joins stretches without a gap between them. */
export function pagesOf(stretches: readonly Stretch[]): Stretch[] {
  const pages: Stretch[] = [];
  for (const next of stretches) {
    const page = pages.at(-1);
    const joins =
      page !== undefined &&
      page.last + 1 === next.first &&
      next.last - page.first < PAGE_EVENTS &&
      page.lines.length + next.lines.length < PAGE_CHARACTERS;
    if (!joins) pages.push({ ...next });
    else {
      page.last = next.last;
      page.lines = `${page.lines}\n${next.lines}`;
    }
  }
  return pages;
}
