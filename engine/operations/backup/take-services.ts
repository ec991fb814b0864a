/**
 * Makes a backup of MongoDB and Redis while daemons run: rows and their history as of one moment (`row-moment.ts`), other
 * documents as of the time after it. Jobs are not in it: the sweep creates them again from the rows.
 */

import { chunksOf } from '../../durable/live/history-log.ts';
import { nodeKind, workflowKind } from '../../durable/live/kinds.ts';
import type { RecordedRow } from '../../durable/live/port.ts';
import { stepsInPart } from '../../durable/live/redis-history.ts';
import { EPOCH_KEY, RedisRows } from '../../durable/live/redis-rows.ts';
import { actorSpec, recordSpec, workflowSpec } from '../../durable/live/specs.ts';
import type { NodeRow } from '../../durable/step/node.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { EventArchive, type EventArchivePage, eventArchiveSpec } from '../../events/event-log/event-archive.ts';
import { moveAll } from '../../events/event-log/event-archiver.ts';
import { EventMarks, eventMarkSpec, type StoredMarks } from '../../events/event-log/event-marks.ts';
import { RedisTail } from '../../events/event-log/redis-tail.ts';
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import { ringOf, type StoredSecret, secretSpec } from '../../platform/secrets/shared-keys.ts';
import type { Collection, Store } from '../../platform/store/port.ts';
import { SCHEMA_VERSION } from '../../platform/store/schema-version.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { backedUp } from './backup-collections.ts';
import { FORMAT, type Manifest } from './backup-format.ts';
import { endedSince } from './ended-since.ts';
import { HistoryMoment } from './history-moment.ts';
import { whilePaused } from './paused-writes.ts';
import { RowMoment } from './row-moment.ts';
import type { OpenServices } from './services.ts';
import { jsonLines, sizedPages } from './sized-pages.ts';
import type { WorkFolder } from './work-folder.ts';

/** The clocks of daemons follow that of Redis, and may differ by less. */
const CLOCK_MS = 60_000;
const ACTIVE = ['pending', 'running'];

/** The state of the documents and rows at one moment. */
interface Moment {
  manifest: Manifest;
  workflows: RowMoment<WorkflowRow>;
  nodes: RowMoment<NodeRow>;
  history: HistoryMoment;
  record: Collection<RecordedRow<WorkflowRow>>;
  since: string;
}

/** @throws NodewrightError BACKUP_FAILED, UNAVAILABLE */
export async function takeServices(services: OpenServices, version: string, work: WorkFolder): Promise<Manifest> {
  const { store, connections } = services;
  const moment = await momentOf(store, connections, version, work.folder);
  await archiveEvents(store, connections);
  await write(store, moment, work.part);
  return moment.manifest;
}

async function momentOf(store: Store, connections: RedisConnections, version: string, folder: string): Promise<Moment> {
  const { commands } = connections;
  const record = await store.collection<RecordedRow<WorkflowRow>>(recordSpec(workflowSpec));
  const actors = await store.collection<RecordedRow<NodeRow>>(recordSpec(actorSpec));
  const workflows = new RowMoment(new RedisRows(workflowKind, connections), record, folder);
  const nodes = new RowMoment(new RedisRows(nodeKind, connections), actors, folder);
  const history = await HistoryMoment.open(store, connections, record);
  if ((await connections.within(commands.get(EPOCH_KEY))) === null) {
    throw new NodewrightError(
      'BACKUP_FAILED',
      'Redis has lost the live state, which a daemon restores first; try again',
    );
  }
  const since = new Date((await timeOf(connections)) - CLOCK_MS).toISOString();
  try {
    await nodes.copy({});
    await workflows.copy({ status: { $in: ACTIVE } });
    const { found: at, ms } = await whilePaused(connections, async () => {
      await workflows.read(await endedSince(record, since));
      await nodes.read(new Set());
      await history.read(workflows.movedIds);
      return timeOf(connections);
    });
    const createdAt = new Date(at).toISOString();
    const pausedMs = Math.ceil(ms);
    const manifest: Manifest = {
      format: FORMAT,
      schema: SCHEMA_VERSION,
      nodewright: version,
      createdAt,
      from: 'services',
      pausedMs,
    };
    return { manifest, workflows, nodes, history, record, since };
  } finally {
    await workflows.close();
    await nodes.close();
  }
}

async function timeOf({ commands }: RedisConnections): Promise<number> {
  const [seconds, microseconds] = await commands.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

/** Moves the tail of the log of events, as a daemon does every second. */
async function archiveEvents(store: Store, connections: RedisConnections): Promise<void> {
  const archive = new EventArchive(await store.collection<EventArchivePage>(eventArchiveSpec));
  const marks = await EventMarks.open(await store.collection<StoredMarks>(eventMarkSpec));
  await moveAll(new RedisTail(connections, marks), archive);
}

async function write(store: Store, moment: Moment, part: string): Promise<void> {
  const writer = new ArchiveWriter(part, moment.manifest);
  try {
    await writer.begin(moment.manifest);
    const secrets = await store.collection<StoredSecret>(secretSpec);
    for (const secret of await secrets.find({})) await writer.secret(secret.id, ringOf(secret));
    await writeRows(moment, writer);
    for (const spec of backedUp) {
      if ([workflowSpec.name, actorSpec.name, 'history'].includes(spec.name)) continue;
      const collection = await store.collection(spec);
      for await (const page of sizedPages(collection)) await writer.chunk(spec.name, jsonLines(page));
    }
    await writer.end();
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

async function writeRows({ workflows, nodes, history, record, since }: Moment, writer: ArchiveWriter): Promise<void> {
  const versions = new Map<string, number>();
  const over = new Map<string, number>();
  for await (const rows of workflows.all()) {
    for (const { id, version } of rows) versions.set(id, version);
    await writer.chunk(workflowSpec.name, jsonLines(rows));
  }
  for await (const page of sizedPages(record, { status: { $nin: ACTIVE }, phase: { $ne: 'removed' } }, true)) {
    const rows = page.filter(({ id, finishedAt }) => workflows.isOver(id, finishedAt, since));
    const parts = rows.map(stepsInPart);
    for (const [at, { id }] of rows.entries()) over.set(id, parts[at]?.[0]?.version ?? Number.POSITIVE_INFINITY);
    await writer.chunk(workflowSpec.name, jsonLines(rows.map(rowAlone)));
    await writer.chunk('history', jsonLines(parts.flatMap(chunksOf)));
  }
  for await (const rows of nodes.all()) await writer.chunk(actorSpec.name, jsonLines(rows));
  for await (const steps of history.all({ versions, over })) await writer.chunk('history', jsonLines(steps));
}

const rowAlone = ({ phase: _, lines: __, ...row }: RecordedRow<WorkflowRow>) => row;
