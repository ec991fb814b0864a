/** Opens the log of events on the adapters of a single process, or of several. */

import type { Events } from '../../api-port/events.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Store } from '../../platform/store/port.ts';
import { DocumentTail } from './document-tail.ts';
import { EventArchive, type EventArchivePage, eventArchiveSpec } from './event-archive.ts';
import { eventReconcilers } from './event-archiver.ts';
import { EventFeed } from './event-feed.ts';
import { matcherOf } from './event-filter.ts';
import { EventLog } from './event-log.ts';
import { EventMarks, eventMarkSpec, type StoredMarks } from './event-marks.ts';
import type { EventTail } from './port.ts';

export interface EventLogPort {
  store: Store;
  cluster: Pick<Cluster, 'singleNode' | 'reconciler'>;
  /** Opens the tail that several processes share; undefined: this process is the only one. */
  tailOf: ((marks: EventMarks) => EventTail) | undefined;
  retentionDays: number;
  failed(error: unknown): void;
}

export async function openEventLog({ store, cluster, tailOf, retentionDays, failed }: EventLogPort) {
  const archive = new EventArchive(await store.collection<EventArchivePage>(eventArchiveSpec));
  const marks = await EventMarks.open(await store.collection<StoredMarks>(eventMarkSpec));
  const tail = tailOf?.(marks) ?? (await DocumentTail.open(archive, marks));
  const log = new EventLog(tail, archive, marks);
  const feed = new EventFeed(log, failed);
  const reconcilers = eventReconcilers(cluster, { tail, archive, marks }, retentionDays, failed);
  const requests: Events = {
    list: (query) => log.list(query),
    follow: (after, signal, cut, reader) => feed.follow(after, signal, cut, reader),
    selects: matcherOf,
  };
  return {
    sink: log.sink,
    log,
    feed,
    requests,
    /** Begins to archive and to remove. */
    start(): void {
      for (const reconciler of reconcilers) reconciler.start();
    },
    async close(): Promise<void> {
      await log.whenSettled();
      await feed.close();
      await Promise.all(reconcilers.map((reconciler) => reconciler.close()));
    },
  };
}
