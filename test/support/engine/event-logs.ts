/** Parts of the event log on any store and tail, for tests. */

import { DocumentTail } from '../../../engine/events/event-log/document-tail.ts';
import {
  EventArchive,
  type EventArchivePage,
  eventArchiveSpec,
} from '../../../engine/events/event-log/event-archive.ts';
import { EventLog } from '../../../engine/events/event-log/event-log.ts';
import { EventMarks, eventMarkSpec, type StoredMarks } from '../../../engine/events/event-log/event-marks.ts';
import type { EventTail } from '../../../engine/events/event-log/port.ts';
import { singleNodeCluster } from '../../../engine/platform/cluster/cluster.ts';
import type { Collection, Store } from '../../../engine/platform/store/port.ts';
import type { Publication } from '../../../engine/vocabulary/event.ts';
import { publication } from './publications.ts';

export interface TestLog {
  log: EventLog;
  tail: EventTail;
  archive: EventArchive;
  marks: EventMarks;
  pages: Collection<EventArchivePage>;
}

/** The log of one process. @param tailOf undefined: the tail of a single process */
export async function openTestLog(store: Store, tailOf?: (marks: EventMarks) => EventTail): Promise<TestLog> {
  const pages = await store.collection<EventArchivePage>(eventArchiveSpec);
  const archive = new EventArchive(pages);
  const marks = await EventMarks.open(await store.collection<StoredMarks>(eventMarkSpec));
  const tail = tailOf?.(marks) ?? (await DocumentTail.open(archive, marks));
  return { log: new EventLog(tail, archive, marks), tail, archive, marks, pages };
}

export const cluster = singleNodeCluster('test');

/** Returns the events of a writer: their `typeId` names it, and `n` counts. */
export const written = (writer: string, from: number, count: number): Publication[] =>
  Array.from({ length: count }, (_, at) => publication(writer, from + at, graphEvent(writer, from + at)));

const graphEvent = (writer: string, n: number) => ({
  id: `${writer}-${n}`,
  type: 'graph',
  action: n % 2 ? 'progress.updated' : 'started',
  severity: 'information',
  typeId: writer,
  nodeId: n % 3 ? 'node-1' : null,
  n,
  data: { status: n % 5 ? 'running' : 'failed' },
});
