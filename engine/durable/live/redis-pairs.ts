/**
 * Workflows and their nodes in Redis, which one step changes: both rows are written, or none. At a launch and an end the row of
 * the node is not read: the script compares the node's holder (`!hold` in `scripts.ts`), so it does not matter which process
 * changed it last.
 */
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import { Replicas } from '../../platform/redis/redis-replicas.ts';
import { RedisScripts } from '../../platform/redis/redis-scripts.ts';
import type { NodeRow } from '../step/node.ts';
import type { WorkflowRow } from '../step/row.ts';
import type { Pair, PairOutcome } from './port.ts';
import type { RedisLive } from './redis-live.ts';
import type { RedisRows } from './redis-rows.ts';
import { pair } from './scripts.ts';

interface LiveParts {
  workflows: { rows: RedisRows<WorkflowRow>; live: Pick<RedisLive<WorkflowRow>, 'open' | 'accept'> };
  nodes: { rows: RedisRows<NodeRow>; live: Pick<RedisLive<NodeRow>, 'awaken'> };
}

export class RedisPairs {
  readonly #parts: LiveParts;
  readonly #scripts: RedisScripts<'pair'>;
  /** Absent: the configuration asks for no replicas. */
  readonly #replicated: RedisScripts<'pair'> | undefined;

  constructor(connections: RedisConnections, parts: LiveParts) {
    this.#parts = parts;
    this.#scripts = new RedisScripts(connections, { pair });
    if (connections.replicas > 0) {
      this.#replicated = new RedisScripts(new Replicas(connections, connections.replicas), { pair });
    }
  }

  /** @returns the outcome of each pair; when replicas have all, if one is a launch or another claim */
  async save(pairs: readonly Pair[]): Promise<(PairOutcome | Error)[]> {
    if (pairs.length === 0) return [];
    const { workflows, nodes } = this.#parts;
    await workflows.live.open(pairs.some(({ workflow }) => workflow.before === undefined));
    const isReplicated = pairs.some(({ workflow }) => workflows.rows.isReplicated(workflow));
    const [replies] = await ((isReplicated && this.#replicated) || this.#scripts).run([
      {
        script: 'pair',
        keys: [
          ...workflows.rows.shared,
          ...nodes.rows.shared.slice(0, 4),
          ...pairs.flatMap(({ workflow, node }) => [
            ...workflows.rows.keysOf(workflow.row.id),
            ...nodes.rows.keysOf(node.row.id),
          ]),
        ],
        args: pairs.flatMap(({ workflow, node }) => [
          ...workflows.rows.textsOf(workflow.before === undefined ? 'insert' : 'save', workflow),
          ...('holder' in node ? nodes.rows.textsOfHold(node.holder, node.row) : nodes.rows.textsOf('save', node)),
        ]),
      },
    ]);
    const outcomes = (replies as number[]).map((reply, at) => this.#outcome(pairs[at] as Pair, reply));
    return Promise.all(outcomes.map((outcome) => outcome.catch((error: Error) => error)));
  }

  async #outcome({ workflow, node }: Pair, reply: number): Promise<PairOutcome> {
    const { workflows, nodes } = this.#parts;
    const isSaved = workflows.live.accept(workflow, reply > 0 ? 1 : reply);
    if (isSaved) return reply;
    if (await nodes.live.awaken(node.row.id, reply)) return 'rested';
    return reply === -2 ? 'absent' : 'differs';
  }
}
