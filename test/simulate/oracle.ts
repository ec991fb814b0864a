/**
 * What must be true, whatever dies: rules that hold at every step, and rules that hold once all has been quiet. The oracle reads
 * the world itself, and knows what clients were told.
 */
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import type { EventPayload, Publication } from '../../engine/vocabulary/event.ts';
import { isActive } from '../../engine/vocabulary/states.ts';
import type { VirtualWorld } from '../../engine/assembly/virtual-world.ts';
import type { SimulatedEffects } from './effects.ts';
import { type Kind, kinds } from './kinds.ts';

/** A notification that a client was told was accepted. */
interface Accepted {
  workflow: string;
  nonce: string;
}

export class Oracle {
  readonly #world: VirtualWorld;
  readonly #effects: SimulatedEffects;
  /** Launches that were answered: by workflow, the kind. */
  readonly launched = new Map<string, Kind>();
  readonly accepted: Accepted[] = [];
  readonly cancelled = new Set<string>();
  /** Nodes whose change was answered, with the name that they have to have. */
  readonly names = new Map<string, string>();
  readonly #events = new Map<string, Map<number, string>>();
  readonly #finished = new Map<string, Set<string>>();
  readonly #holders = new Map<string, string>();

  constructor(world: VirtualWorld, effects: SimulatedEffects) {
    this.#world = world;
    this.#effects = effects;
    world.broker.hear = (publication) => this.#hear(publication);
    world.rows.workflows.wrote = (row) => this.#wrote(row);
  }

  /** The first rule that did not hold. */
  violation: string | undefined;

  #fail(rule: string): void {
    this.violation ??= rule;
  }

  /** Called for each row that is saved. */
  #wrote({ id, node, status, parent }: WorkflowRow): void {
    // A child runs under the hold of its parent.
    if (node === null || parent !== null) return;
    const holder = this.#holders.get(node);
    if (!isActive(status)) {
      if (holder === id) this.#holders.delete(node);
      return;
    }
    const other = holder === undefined || holder === id ? undefined : this.#world.rows.workflows.get(holder);
    if (other !== undefined && isActive(other.status)) {
      this.#fail(`the node ${node} has two active workflows, ${other.id} and ${id}`);
    }
    this.#holders.set(node, id);
  }

  #hear({ body }: Publication): void {
    const event = body as EventPayload & { data: { n?: number } };
    if (event.type !== 'graph') return;
    const known = this.#events.get(event.typeId) ?? new Map<number, string>();
    this.#events.set(event.typeId, known);
    const { n } = event.data;
    if (typeof n === 'number') {
      const before = known.get(n);
      if (before !== undefined && before !== event.id) this.#fail(`the event ${n} of ${event.typeId} has two ids`);
      if (before === undefined && n !== known.size + 1) {
        this.#fail(`of ${event.typeId} came the event ${n} after the event ${known.size}`);
      }
      known.set(n, event.id);
    }
    if (event.action !== 'finished') return;
    const ends = this.#finished.get(event.typeId) ?? new Set<string>();
    ends.add(event.id);
    this.#finished.set(event.typeId, ends);
    if (ends.size > 1) this.#fail(`${event.typeId} has finished under two ids`);
  }

  /** Effects that must not be repeated. Called often. */
  checkEffects(): void {
    for (const [what, count] of this.#effects.counts) {
      if (count < 2) continue;
      const [workflow] = [...this.#world.rows.workflows.rows.all.values()].filter((row) =>
        row.tasks.some((task) => task.instanceId === what && task.taskName !== 'Task.Simulated.Again'),
      );
      if (workflow !== undefined) this.#fail(`an effect of ${workflow.graphName} ${workflow.id} was done ${count} times`);
    }
  }

  /** Called when no fault was active for long, and all daemons live. */
  checkRest(): void {
    this.checkEffects();
    const { rows } = this.#world.rows.workflows;
    for (const [id, kind] of this.launched) {
      const row = rows.all.get(id);
      if (row === undefined) this.#fail(`the workflow ${id} was launched and answered, and does not exist`);
      else this.#checkEnd(row, kind);
    }
    for (const row of rows.all.values()) {
      const kind = kinds.find(({ graph }) => graph === row.graphName);
      if (kind !== undefined && !this.launched.has(row.id)) this.#checkEnd(row, kind);
    }
    for (const { workflow, nonce } of this.accepted) this.#checkAccepted(workflow, nonce);
    for (const node of this.#world.rows.nodes.rows.all.values()) {
      const holder = node.workflow === null ? undefined : rows.all.get(node.workflow);
      if (node.workflow !== null && (holder === undefined || !isActive(holder.status))) {
        this.#fail(`the node ${node.id} is held by ${node.workflow}, which is not active`);
      }
    }
  }

  #checkEnd(row: WorkflowRow, kind: Kind): void {
    const { id, status, graphName } = row;
    if (isActive(status)) {
      const waits = row.tasks.filter(({ state }) => state === 'running' || state === 'waiting').map((task) => `${task.label} ${task.state} ${task.waitingOn}`);
      // One whose client died, or was never answered, waits for input; it says so.
      if (kind.signals > 0 && waits.some((wait) => wait.endsWith('notification'))) return;
      if (kind.isCancelled && !this.cancelled.has(id)) return;
      this.#fail(`${graphName} ${id} has not ended: ${waits.join(', ')}`);
      return;
    }
    if (!kind.ends.includes(status) && !(status === 'cancelled' && this.cancelled.has(id))) {
      this.#fail(`${graphName} ${id} ended ${status}: ${row.error?.code} ${row.error?.message}`);
    }
    if (this.#finished.get(id)?.size !== 1) this.#fail(`the end of ${graphName} ${id} was not published`);
    for (const { state, instanceId, taskName, label } of row.tasks) {
      if (!taskName.startsWith('Task.Simulated.') || state !== 'succeeded') continue;
      if (this.#effects.count(instanceId) === 0) this.#fail(`${label} of ${graphName} ${id} succeeded and was not done`);
    }
  }

  #checkAccepted(workflow: string, nonce: string): void {
    const row = this.#world.rows.workflows.get(workflow);
    if (row === undefined) return;
    const node = this.#world.rows.nodes.get(row.mailboxId);
    const isKnown = JSON.stringify(row).includes(nonce) || JSON.stringify(node ?? null).includes(nonce);
    const isEnded = !isActive(row.status);
    if (!isKnown && !isEnded) this.#fail(`the notification ${nonce} for ${workflow} was accepted and is gone`);
  }

  /** Forgets workflows that were removed, so that a long run stays small. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) {
      this.launched.delete(id);
      this.cancelled.delete(id);
      this.#events.delete(id);
      this.#finished.delete(id);
    }
    const gone = new Set(ids);
    for (let at = this.accepted.length - 1; at >= 0; at -= 1) {
      if (gone.has(this.accepted[at]?.workflow ?? '')) this.accepted.splice(at, 1);
    }
  }
}
