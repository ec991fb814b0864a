/** Nodes, workflows and daemons for the dispatcher of rollouts: in memory, and without time. Daemons die at any call of the store. */

import type { RolloutRequest } from '../../../engine/api-port/rollouts.ts';
import { Reconciler } from '../../../engine/platform/lib/reconciler.ts';
import { NodewrightError } from '../../../engine/vocabulary/errors.ts';
import type { Publication } from '../../../engine/vocabulary/event.ts';
import { isActive, type WorkflowStatus } from '../../../engine/vocabulary/states.ts';
import { nodeBusy, unknownNode } from '../../../engine/workflows/requests/node-claim.ts';
import { RolloutCreation } from '../../../engine/workflows/rollouts/rollout-creation.ts';
import { RolloutDispatcher } from '../../../engine/workflows/rollouts/rollout-dispatcher.ts';
import type { RolloutBlock } from '../../../engine/workflows/rollouts/rollout-state.ts';
import { RolloutTargets } from '../../../engine/workflows/rollouts/rollout-targets.ts';
import {
  rolloutSpec,
  type StoredRollout,
  type StoredTarget,
  targetSpec,
} from '../../../engine/workflows/rollouts/stored-rollout.ts';
import { Life } from '../faults/dying-store.ts';
import { MemoryStore } from './memory-store.ts';

interface RunOnNode {
  node: string;
  status: WorkflowStatus;
}

export interface WorldNode {
  id: string;
  parents: Record<string, string[]>;
}

export class RolloutWorld {
  readonly store = new MemoryStore();
  readonly nodes = new Map<string, WorldNode>();
  /** By id. */
  readonly workflows = new Map<string, RunOnNode>();
  /** Nodes in the order of their launches. */
  readonly launches: string[] = [];
  readonly events = new Map<string, Publication>();
  /** The reason for which no target may begin. */
  blockedBy: RolloutBlock | undefined;
  /** Nodes that other workflows hold. */
  readonly busy = new Set<string>();
  /** Nodes with a hold. */
  readonly held = new Set<string>();
  rollouts!: Awaited<ReturnType<typeof this.collections>>['rollouts'];
  targets!: Awaited<ReturnType<typeof this.collections>>['targets'];

  constructor(nodes: readonly WorldNode[]) {
    for (const node of nodes) this.nodes.set(node.id, node);
  }

  private async collections(store: Pick<MemoryStore, 'collection'> = this.store) {
    return {
      rollouts: await store.collection<StoredRollout>(rolloutSpec),
      targets: await store.collection<StoredTarget>(targetSpec),
    };
  }

  async open(): Promise<this> {
    Object.assign(this, await this.collections());
    return this;
  }

  async create(request: Partial<RolloutRequest>): Promise<string> {
    const creation = new RolloutCreation({
      rollouts: this.rollouts,
      stored: this.targets,
      windows: { get: async () => undefined },
      nodes: {
        ownedBy: async () => new Set(),
        list: async ({ filter }) => {
          const ids = (filter.id as { $in: string[] }).$in;
          const items = ids.flatMap((id) => {
            const node = this.nodes.get(id);
            const relations = Object.entries(node?.parents ?? {}).map(([relationType, targets]) => ({
              relationType,
              targets,
            }));
            return node === undefined ? [] : [{ id, sku: null, relations } as never];
          });
          return { items, total: items.length };
        },
        idOf: async () => undefined,
      },
      existingIds: this.#existingIds,
      graphs: { graphOfSku: async () => ({ hash: 'hash', labels: new Map() }) as never },
      prepare: async (_, options) => options,
    });
    const all = { graph: 'Graph.Any', nodes: [...this.nodes.keys()], seed: 1, ...request };
    const draft = await creation.draft('rollout', new Date().toISOString(), all);
    await creation.store(draft);
    return draft.rollout.id;
  }

  /** A daemon; with a life, it may die. */
  async daemon(life = new Life()): Promise<RolloutDispatcher> {
    const { rollouts, targets } = await this.collections(life.store(this.store));
    return new RolloutDispatcher({
      rollouts,
      stored: targets,
      targets: new RolloutTargets(targets),
      records: this.#records() as never,
      launches: {
        launchOnce: (id, { nodeId }) => life.call(async () => this.#launch(id, nodeId)),
        retryOnce: (id, earlier) =>
          life.call(async () => {
            this.#launch(id, this.workflows.get(earlier)?.node ?? '');
            return true;
          }),
      },
      control: { cancel: async (id) => void this.end(id, 'cancelled') as never },
      existingIds: this.#existingIds,
      heldAmong: async (ids) => new Set(ids.filter((id) => this.held.has(id))),
      blockedBy: async () => this.blockedBy,
      outbox: {
        publish: (publications) =>
          life.call(async () => {
            for (const publication of publications) this.events.set(publication.id, publication);
          }),
      },
      cluster: { reconciler: (port) => new Reconciler(port) },
      changes: { publish: async () => {}, subscribe: async () => async () => {} },
      failed: () => {},
    });
  }

  #launch(id: string, node: string): void {
    if (this.workflows.has(id)) return;
    if (!this.nodes.has(node)) throw unknownNode(node);
    if (this.held.has(node)) throw new NodewrightError('NODE_HELD', node);
    const isTaken = [...this.workflows.values()].some((one) => one.node === node && isActive(one.status));
    if (isTaken || this.busy.has(node)) throw nodeBusy('another');
    this.workflows.set(id, { node, status: 'running' });
    this.launches.push(node);
  }

  #records() {
    const idsIn = (filter: { id?: { $in: string[] } }) => filter.id?.$in ?? [];
    return {
      storedWorkflows: {
        pick: async (_: unknown, filter: object) =>
          idsIn(filter).flatMap((id) => (this.workflows.has(id) ? [{ id, ...this.workflows.get(id) }] : [])),
      },
      storedNodes: {
        pick: async (_: unknown, filter: object) =>
          idsIn(filter).map((id) => ({ id, workflow: this.busy.has(id) ? 'another' : null })),
      },
      workflows: {
        load: async (id: string) => {
          const run = this.workflows.get(id);
          const error = run?.status === 'failed' ? { code: 'TASK_FAILED', message: 'failed' } : null;
          return run && { id, ...run, error };
        },
      },
    };
  }

  readonly #existingIds = async (ids: readonly string[]) => new Set(ids.filter((id) => this.nodes.has(id)));

  get active(): RunOnNode[] {
    return [...this.workflows.values()].filter(({ status }) => isActive(status));
  }

  end(id: string, status: WorkflowStatus): void {
    const run = this.workflows.get(id);
    if (run === undefined) throw new NodewrightError('NOT_FOUND', id);
    if (isActive(run.status)) this.workflows.set(id, { ...run, status });
  }

  async rollout(): Promise<StoredRollout> {
    return (await this.rollouts.get('rollout')) as StoredRollout;
  }

  actions(): string[] {
    return [...this.events.values()].map(({ body }) => (body as { action: string }).action);
  }
}
