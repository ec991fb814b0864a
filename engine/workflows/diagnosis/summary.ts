/** The totals of the daemon, for an overview. */
import { statfs } from 'node:fs/promises';
import type { Summary } from '../../api-port/index.ts';
import type { Records } from '../../durable/runtime/records.ts';
import type { Collection, Document } from '../../platform/store/port.ts';
import { workflowStatuses } from '../../vocabulary/states.ts';
import type { Surveyor } from './survey.ts';

export interface SummaryPort {
  records: Pick<Records, 'storedWorkflows' | 'storedNodes'>;
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
  const { records, nodes, surveyor, backlog, dataDir } = port;
  const { storedWorkflows, storedNodes } = records;
  const [survey, byStatus, byGraph, total, busy, queue, events, hooks, circuitsOpen, stores, disk] = await Promise.all([
    surveyor.survey(),
    countsOf(workflowStatuses, (status) => storedWorkflows.count({ status })),
    port.graphs().then((names) => countsOf(names, (graphName) => storedWorkflows.count({ graphName }))),
    nodes.count({}),
    storedNodes.count({ workflow: { $gt: '' } }),
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
  const graphCounts = Object.fromEntries(Object.entries(byGraph).filter(([, count]) => count > 0));
  const oldestSeconds = survey.oldestMs === null ? null : survey.oldestMs / 1_000;
  return {
    workflows: { byStatus, byGraph: graphCounts, stuck: survey.stuck.length, oldestSeconds },
    nodes: { total, busy: Math.min(busy, total) },
    backlog: { queue, events, hooks },
    bmcs: { circuitsOpen },
    broker: port.broker(),
    stores,
    disk: { path: dataDir, freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize },
    backup: { lastAt: await port.lastBackup() },
  };
}

async function countsOf(names: readonly string[], count: (name: string) => Promise<number>) {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = await count(name);
  return counts;
}
