/**
 * Runs rollouts one after the other, each on nodes of its own, while daemons die: each target is launched once, no limit is
 * exceeded, nothing begins while a gate has stopped it, and it ends.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Life } from './life.ts';
import { type Draw, pick } from './random.ts';
import { beganAfter, brokenRules, type LaunchedTarget, type RolloutRow } from './rollout-rules.ts';
import type { Scene } from './scene.ts';

const ROLLOUT_END_MS = 4 * 60_000;
const TARGETS = 8;
const RUNNING = 3;
const PER_RACK = 2;
const RACKS = 2;
const ROLLOUT_LOOK_MS = 500;

/** The second one may fail: an interrupted once activity stops the rollout by its gate. */
const graphs = [
  { weight: 1, of: 'Graph.Chaos.Again' },
  { weight: 1, of: 'Graph.Chaos.Once' },
];

export class Rollouts {
  readonly #scene: Scene;
  readonly #life: Life;
  ended = 0;

  constructor(scene: Scene, life: Life) {
    this.#scene = scene;
    this.#life = life;
  }

  async run(draw: Draw, going: () => boolean): Promise<void> {
    while (going()) {
      const racks = await this.#newNodes(RACKS, 'rack');
      const nodes = await this.#newNodes(TARGETS, 'compute');
      if (racks.length < RACKS || nodes.length < TARGETS) continue;
      const rackOf = new Map(nodes.map((node, n) => [node, racks[n % RACKS] ?? '']));
      for (const [node, rack] of rackOf) await this.#put(`/nodes/${node}/relations`, { enclosedBy: [rack] }, [200]);
      const id = await this.#create(nodes, pick(draw, graphs));
      if (id === undefined) continue;
      await this.#follow(id, rackOf);
    }
  }

  async #newNodes(count: number, type: string): Promise<string[]> {
    const body = Array.from({ length: count }, () => ({ type, name: 'chaos' }));
    const question = { method: 'POST', path: '/nodes', body };
    const answer = await this.#scene.client.insist(question, [201], ROLLOUT_END_MS);
    return ((answer?.body ?? []) as unknown as { id: string }[]).map(({ id }) => id);
  }

  #put(path: string, body: object, statuses: readonly number[]) {
    return this.#scene.client.insist({ method: 'PUT', path, body }, statuses, ROLLOUT_END_MS);
  }

  /** A creation without an answer may have been processed: the rollout has a name of its own. */
  async #create(nodes: readonly string[], graph: string): Promise<string | undefined> {
    const { client } = this.#scene;
    const name = randomUUID();
    const body = {
      name,
      graph,
      targets: { nodes },
      phases: [{ size: 2 }, { size: 'rest' }],
      limits: { running: RUNNING, per: { enclosedBy: PER_RACK } },
      gates: [{ failures: 2 }],
    };
    for (const until = Date.now() + ROLLOUT_END_MS; Date.now() < until; await setTimeout(ROLLOUT_LOOK_MS)) {
      const answer = await client.ask({ method: 'POST', path: '/rollouts', body });
      if (answer?.status === 201) return answer.body.id;
      const listed = await client.ask({ method: 'GET', path: `/rollouts?name=${name}` });
      if (listed?.status === 200 && listed.body[0] !== undefined) return listed.body[0].id;
    }
    this.#scene.findings.add('rollout', `${name} was not created within ${ROLLOUT_END_MS} ms`);
    return undefined;
  }

  async #follow(id: string, rackOf: ReadonlyMap<string, string>): Promise<void> {
    let launched: LaunchedTarget[] = [];
    for (const until = Date.now() + ROLLOUT_END_MS; Date.now() < until; await setTimeout(ROLLOUT_LOOK_MS)) {
      launched = (await this.#launched(id)) ?? launched;
      // So the periodic check leaves them alone: a workflow that is deleted counts as failed.
      for (const workflow of launched) this.#life.known.add(workflow.id);
      const row = await this.#row(id);
      if (row?.reason?.kind === 'gate') await this.#resume(row, launched);
      if (row === undefined || row.status === 'running' || row.status === 'paused') continue;
      const all = await this.#launched(id);
      if (all === undefined) continue;
      const wrong = brokenRules(row, all, rackOf, { targets: TARGETS, running: RUNNING, perRack: PER_RACK });
      if (wrong.length > 0) this.#scene.findings.add('rollout', `${id} ${wrong.join(', ')}: ${JSON.stringify(all)}`);
      this.ended += 1;
      for (const workflow of all) this.#life.known.add(workflow.id);
      for (const workflow of all) await this.#life.settle(workflow.id, ROLLOUT_END_MS);
      return;
    }
    const row = await this.#row(id);
    this.#scene.findings.add('rollout', `${id} did not end within ${ROLLOUT_END_MS} ms: ${JSON.stringify(row)}`);
  }

  async #row(id: string): Promise<RolloutRow | undefined> {
    const answer = await this.#scene.client.ask({ method: 'GET', path: `/rollouts/${id}` });
    if (answer?.status === 404) this.#scene.findings.add('untrue', `the rollout ${id} was created but does not exist`);
    return answer?.status === 200 ? (answer.body as unknown as RolloutRow) : undefined;
  }

  async #launched(id: string): Promise<LaunchedTarget[] | undefined> {
    const path = `/workflows?rollout=${id}&sort=createdAt&$top=100`;
    const answer = await this.#scene.client.ask({ method: 'GET', path });
    return answer?.status === 200 ? (answer.body as unknown as LaunchedTarget[]) : undefined;
  }

  async #resume({ id, reason }: RolloutRow, launched: readonly LaunchedTarget[]): Promise<void> {
    const since = reason?.since ?? '';
    const late = beganAfter(launched, since);
    if (late.length > 0)
      this.#scene.findings.add('rollout', `${id} began ${late.length} targets after its gate tripped at ${since}`);
    // 409: an earlier request without an answer has resumed it.
    await this.#put(`/rollouts/${id}/action`, { command: 'resume' }, [202, 409]);
  }
}
