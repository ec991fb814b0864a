/** Opens all that moves in Redis, and what records and heals it. */
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import type { Collection, Store } from '../../platform/store/port.ts';
import type { NodeRow } from '../step/node.ts';
import type { StepRow, WorkflowRow } from '../step/row.ts';
import { Healing } from './healing.ts';
import { historySpec, type StoredHistory } from './history-log.ts';
import { nodeKind, workflowKind } from './kinds.ts';
import type { LiveState, RecordedRow } from './port.ts';
import { Recorder } from './recorder.ts';
import { RedisHistory } from './redis-history.ts';
import { RedisLive } from './redis-live.ts';
import { RedisPairs } from './redis-pairs.ts';
import { linesKey, RedisRows, type RowKind } from './redis-rows.ts';
import { actorSpec, recordSpec, workflowSpec } from './specs.ts';

/** @param restoredMs until every process has restored its rows on another server */
export async function openRedisState(
  connections: RedisConnections,
  store: Store,
  failed: (what: string, error: unknown) => void,
  restoredMs?: number,
): Promise<LiveState> {
  const open = <R extends StepRow>(kind: RowKind<R>, record: Collection<RecordedRow<R>>, history?: RedisHistory) => {
    const rows = new RedisRows(kind, connections);
    const live: RedisLive<R> = new RedisLive(
      rows,
      record,
      history,
      () => recorder,
      () => healing,
    );
    const recorder = new Recorder(live, kind, (error) => failed(`record ${kind.name}`, error));
    return { live, recorder, healed: { rows, record, cache: () => live.cache } };
  };
  const stored = await store.collection<StoredHistory>(historySpec);
  const record = await store.collection<RecordedRow<WorkflowRow>>(recordSpec(workflowSpec));
  const history = new RedisHistory(connections, stored, record, (id) => linesKey(workflowKind.name, id));
  const workflows = open<WorkflowRow>(workflowKind, record, history);
  const nodes = open<NodeRow>(nodeKind, await store.collection<RecordedRow<NodeRow>>(recordSpec(actorSpec)));
  const healing = new Healing(
    connections,
    workflows.healed,
    nodes.healed,
    (error) => failed('healing', error),
    restoredMs,
  );
  const pairs = new RedisPairs(connections, {
    workflows: { rows: workflows.healed.rows, live: workflows.live },
    nodes: { rows: nodes.healed.rows, live: nodes.live },
  });
  await healing.check();
  for (const part of [healing, workflows.recorder, nodes.recorder]) part.start();
  return {
    workflows: workflows.live,
    nodes: nodes.live,
    history,
    together: (all) => pairs.save(all),
    async close() {
      await healing.close();
      await workflows.recorder.close();
      await nodes.recorder.close();
    },
  };
}
