/**
 * Runs workflows in sequence, each from its launch to the end of its record, and checks the answers that a client got:
 * a launched workflow exists, a cancelled one ends as cancelled, accepted notifications complete a wait. A workflow
 * that ended correctly is deleted, so that the store stays small; any other is kept.
 */
import { setTimeout } from 'node:timers/promises';
import { isActive, type WorkflowStatus } from '../../engine/vocabulary/states.ts';
import type { Answer } from '../support/servers/api.ts';
import { activitiesMissing, type Row } from './activities.ts';
import { type Kind, kindOf, kinds } from './kinds.ts';
import { between, type Draw, pick } from './random.ts';
import type { Scene } from './scene.ts';

/**
 * A client insists: a workflow whose launch, notification or cancel it gave up would never end. On a busy machine a fault every few
 * seconds leaves all daemons starting for a minute at times.
 */
const INSIST_MS = 5 * 60_000;
/** A once activity of a dead process is interrupted after about 12 s, and the next daemon may die then. */
const END_MS = 90_000;
/** Timeout for the remaining work when the faults have ended. */
export const CALM_MS = 60_000;
const LIFE_LOOK_MS = 150;
/** Those that a finding shows. */
const HOLDER_ANSWERS = 10;

export class Life {
  readonly #scene: Scene;
  /** Every known workflow, including children. */
  readonly known = new Set<string>();
  readonly #nodes = new Set<string>();
  /** By node: the answers about its holder during the launch that is under way. */
  readonly #holderAnswers = new Map<string | undefined, string[]>();
  /** Ended correctly and deleted. */
  readonly deleted = new Set<string>();
  /** Did not end in time, but still may. */
  readonly overdue = new Set<string>();
  /** Launched by requests that a daemon took after their client had given them up, and cancelled. */
  readonly late = new Set<string>();
  readonly ended: Record<string, number> = {};
  /** Number of task runs that succeeded. */
  steps = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Runs workflows in sequence, some of them on a node of its own, while `going`. */
  async run(draw: Draw, going: () => boolean): Promise<void> {
    let node = await this.#newNode();
    while (going()) {
      const kind = pick(
        draw,
        kinds.map((of) => ({ weight: of.weight, of })),
      );
      const on = kind.onNode || draw() < 0.5 ? node : undefined;
      const id = await this.#launch(kind, on);
      if (id === undefined) {
        const answers = this.#holderAnswers.get(on) ?? [];
        const text = `${kind.graph} on ${on ?? 'no node'} for ${INSIST_MS} ms; asked for its holder: ${answers.join('; ')}`;
        this.#scene.findings.add('unclear', text);
        node = await this.#newNode();
        continue;
      }
      await this.#influence(kind, id, on, draw);
      // A node whose workflow does not end would reject every launch.
      if (!(await this.settle(id, END_MS)) && on !== undefined) node = await this.#newNode();
    }
  }

  async #newNode(): Promise<string> {
    const body = { type: 'compute', name: 'chaos' };
    const answer = await this.#scene.client.insist({ method: 'POST', path: '/nodes', body }, [201], INSIST_MS);
    const id = answer?.body.id ?? '';
    if (id !== '') this.#nodes.add(id);
    return id;
  }

  /** After everything has ended, a node that rejects a launch has a stale holder. */
  async tryNodes(): Promise<void> {
    for (const node of this.#nodes) {
      const id = await this.#launch(kinds.find(({ graph }) => graph === 'Graph.Fixture.Plain') as Kind, node, CALM_MS);
      if (id === undefined) this.#scene.findings.add('lost', `the node ${node} stays busy without an active workflow`);
      else await this.settle(id, END_MS);
    }
  }

  /** Returns undefined when its node stays busy with work of another process. */
  async #launch({ graph }: Kind, node: string | undefined, ms = INSIST_MS): Promise<string | undefined> {
    const { client } = this.#scene;
    const path = `${node === undefined ? '' : `/nodes/${node}`}/workflows`;
    const launch = { method: 'POST', path: `${path}?name=${graph}`, body: {} };
    this.#holderAnswers.delete(node);
    for (const until = Date.now() + ms; Date.now() < until; ) {
      const answer = await client.insist(launch, [201, 409], ms);
      if (answer?.status !== 409) return this.#know(answer?.body.id);
      // Launched by a request that had no answer.
      const holder = await client.ask({ method: 'GET', path: `${path}?active=true` });
      this.#noteHolder(node, holder);
      if (holder?.body[0]?.injectableName === graph) return this.#know(holder.body[0].id);
      const id = holder?.body[0]?.id;
      if (id !== undefined && !this.known.has(id)) await this.#cancelLate(id);
      await setTimeout(LIFE_LOOK_MS);
    }
    return undefined;
  }

  #noteHolder(node: string | undefined, answer: Answer | undefined): void {
    const { id, injectableName } = answer?.body[0] ?? {};
    const text = `${new Date().toISOString()} ${answer?.status ?? 'no answer'} ${injectableName} ${id} of ${answer?.body.length}`;
    this.#holderAnswers.set(node, [...(this.#holderAnswers.get(node) ?? []), text].slice(-HOLDER_ANSWERS));
  }

  /** The node is this client's: an older launch of it came late, such as through a daemon that stood still. */
  async #cancelLate(id: string): Promise<void> {
    this.late.add(id);
    await this.#scene.client.ask({ method: 'PUT', path: `/workflows/${id}/action`, body: { command: 'cancel' } });
  }

  #know(id: string | undefined): string | undefined {
    if (id !== undefined) this.known.add(id);
    return id;
  }

  /** Signals or cancels a workflow of a kind that needs it. */
  async #influence({ signals = 0, cancelled }: Kind, id: string, node: string | undefined, draw: Draw): Promise<void> {
    const { client } = this.#scene;
    for (let n = 0; n < signals; n += 1) {
      await setTimeout(between(draw, 0, 300));
      const path = `/notification?nodeId=${node}`;
      await client.insist({ method: 'POST', path, body: { n }, southbound: true }, [201], INSIST_MS);
    }
    if (!cancelled) return;
    await setTimeout(between(draw, 0, 400));
    const body = { command: 'cancel' };
    await client.insist({ method: 'PUT', path: `/workflows/${id}/action`, body }, [202], INSIST_MS);
  }

  /** Waits for its end, checks it, and deletes it. @returns false when it did not end in time */
  async settle(id: string, ms: number): Promise<boolean> {
    this.overdue.delete(id);
    const row = await this.#end(id, ms);
    if (row === undefined) return false;
    if (row === 'gone' || (await this.#wrong(row))) return true;
    this.ended[row.status] = (this.ended[row.status] ?? 0) + 1;
    this.steps += row.tasks.filter(({ state }) => state === 'succeeded').length;
    for (const child of childrenOf(row)) {
      this.known.add(child);
      await this.settle(child, END_MS);
    }
    await this.#delete(id);
    return true;
  }

  async #end(id: string, ms: number): Promise<Row | 'gone' | undefined> {
    const { client, findings } = this.#scene;
    for (const until = Date.now() + ms; Date.now() < until; await setTimeout(LIFE_LOOK_MS)) {
      const answer = await client.ask({ method: 'GET', path: `/workflows/${id}` });
      if (answer?.status === 404) {
        findings.add('untrue', `the workflow ${id} was launched but does not exist`);
        return 'gone';
      }
      if (answer?.status === 200 && !isActive(answer.body.status as WorkflowStatus)) return answer.body as Row;
    }
    this.overdue.add(id);
    return undefined;
  }

  async #wrong(row: Row): Promise<boolean> {
    const { findings } = this.#scene;
    if (this.late.has(row.id) && row.status === 'cancelled') return false;
    const mayEnd = kindOf(row.injectableName)?.ends.includes(row.status) ?? false;
    const wrong = [...(mayEnd ? [] : [`ended ${row.status}`]), ...(await activitiesMissing(row, this.#scene))];
    for (const why of wrong) findings.add('lost', `${row.id} ${why}: ${await this.evidence(row.id)}`);
    return wrong.length > 0;
  }

  async #delete(id: string): Promise<void> {
    const { client, findings } = this.#scene;
    const path = `/workflows/${id}`;
    const answer = await client.insist({ method: 'DELETE', path }, [204, 404], INSIST_MS);
    if (answer?.status === 404 && answer.asked === 1) findings.add('untrue', `${id} had ended but does not exist`);
    this.deleted.add(id);
    const after = await client.ask({ method: 'GET', path });
    if (after?.status === 200)
      findings.add('untrue', `${id} was deleted but still exists: ${JSON.stringify(after.body)}`);
  }

  /** Returns the current record and history. */
  async evidence(id: string): Promise<string> {
    const [row, history] = await Promise.all(
      ['', '/history'].map((part) => this.#scene.client.ask({ method: 'GET', path: `/workflows/${id}${part}` })),
    );
    return `${JSON.stringify(row?.body)} history ${JSON.stringify(history?.body)}`;
  }
}

const childrenOf = ({ tasks }: Row): string[] => tasks.flatMap(({ output }) => output?.workflowId ?? []);
