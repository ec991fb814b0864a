/** The totals of the daemon, for an overview. */
import { statfs } from 'node:fs/promises';
import type { Summary } from '../../api-port/index.ts';
import type { Collection, Document } from '../../platform/store/port.ts';
import type { Surveyor } from './survey.ts';
import type { WorkflowCounts } from './workflow-counts.ts';

export interface SummaryPort {
  counts: Pick<WorkflowCounts, 'read'>;
  nodes: Pick<Collection<Document>, 'count'>;
  surveyor: Surveyor;
  /** Names of the graphs in the library. */
  graphs(): Promise<string[]>;
  /** BMCs with an open circuit. */
  openCircuits(): Promise<number>;
  backlog: { queue(): Promise<number>; events(): Promise<number>; hooks(): Promise<number> };
  broker(): Summary['broker'];
  checkReady(): Promise<void>;
  dataDir: string;
  /** ISO 8601. */
  lastBackup(): Promise<string | null>;
}

export async function summaryOf(port: SummaryPort): Promise<Summary> {
  const { nodes, surveyor, backlog, dataDir } = port;
  const [survey, counts, total, queue, events, hooks, circuitsOpen, stores, disk] = await Promise.all([
    surveyor.survey(),
    port.graphs().then((names) => port.counts.read(names)),
    nodes.count({}),
    backlog.queue(),
    backlog.events(),
    backlog.hooks(),
    port.openCircuits(),
    port.checkReady().then(
      () => 'up' as const,
      () => 'down' as const,
    ),
    statfs(dataDir),
  ]);
  const oldestSeconds = survey.oldestMs === null ? null : survey.oldestMs / 1_000;
  return {
    workflows: { ...counts, stuck: survey.stuck.length, oldestSeconds },
    // A node that was deleted in the meantime is not counted.
    nodes: { total, busy: Math.min(survey.busyNodes.size, total) },
    backlog: { queue, events, hooks },
    bmcs: { circuitsOpen },
    broker: port.broker(),
    stores,
    disk: { path: dataDir, freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize },
    backup: { lastAt: await port.lastBackup() },
  };
}
