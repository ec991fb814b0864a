/** Workflows and their nodes in Redis, which one step changes: both rows are written, or none. */
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import { Replicas } from '../../platform/redis/redis-replicas.ts';
import { RedisScripts } from '../../platform/redis/redis-scripts.ts';
import type { NodeRow } from '../step/node.ts';
import type { WorkflowRow } from '../step/row.ts';
import type { Pair, RowWrite } from './port.ts';
import type { RedisLive } from './redis-live.ts';
import type { RedisRows } from './redis-rows.ts';
import { pair } from './scripts.ts';

export class RedisPairs {
  readonly #workflows: RedisRows<WorkflowRow>;
  readonly #nodes: RedisRows<NodeRow>;
  readonly #live: Pick<RedisLive<WorkflowRow>, 'open' | 'accept'>;
  readonly #scripts: RedisScripts<'pair'>;
  /** Absent: the configuration asks for no replicas. */
  readonly #replicated: RedisScripts<'pair'> | undefined;

  constructor(
    connections: RedisConnections,
    workflows: RedisRows<WorkflowRow>,
    nodes: RedisRows<NodeRow>,
    live: Pick<RedisLive<WorkflowRow>, 'open' | 'accept'>,
  ) {
    this.#workflows = workflows;
    this.#nodes = nodes;
    this.#live = live;
    this.#scripts = new RedisScripts(connections, { pair });
    if (connections.replicas > 0) {
      this.#replicated = new RedisScripts(new Replicas(connections, connections.replicas), { pair });
    }
  }

  /** @returns for each pair whether it was saved; launches when replicas have all */
  async save(pairs: readonly Pair[]): Promise<boolean[]> {
    if (pairs.length === 0) return [];
    const isLaunch = pairs.some(({ workflow }) => workflow.before === undefined);
    await this.#live.open(isLaunch);
    const [replies] = await ((isLaunch && this.#replicated) || this.#scripts).run([
      {
        script: 'pair',
        keys: [
          ...this.#workflows.shared,
          ...this.#nodes.shared.slice(0, 4),
          ...pairs.flatMap(({ workflow, node }) => [
            ...this.#workflows.keysOf(workflow.row.id),
            ...this.#nodes.keysOf(node.row.id),
          ]),
        ],
        args: pairs.flatMap(({ workflow, node }) => [
          ...textsOf(this.#workflows, workflow),
          ...textsOf(this.#nodes, node),
        ]),
      },
    ]);
    return (replies as number[]).map((reply, at) => this.#live.accept((pairs[at] as Pair).workflow, reply));
  }
}

const textsOf = <R extends WorkflowRow | NodeRow>(rows: RedisRows<R>, written: RowWrite<R>): string[] =>
  rows.textsOf(written.before === undefined ? 'insert' : 'save', written);
