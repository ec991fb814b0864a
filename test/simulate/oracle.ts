/**
 * Holds the rules (`oracle-rules.ts`): some at every step, the others once all has been quiet. It reads the world itself, and
 * knows the answers that clients have received.
 */
import type { VirtualWorld } from '../../engine/assembly/virtual-world.ts';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { isActive } from '../../engine/vocabulary/states.ts';
import type { SimulatedEffects } from './effects.ts';
import { FleetOracle } from './fleet-oracle.ts';
import { HeardEvents } from './heard-events.ts';
import { type Kind, kinds } from './kinds.ts';
import { LoggedEvents } from './logged-events.ts';
import type { Rule } from './oracle-rules.ts';

/** Tasks whose effects may be repeated. */
const REPEATED: readonly string[] = ['Task.Simulated.Again', 'Task.Simulated.Risky'];

export class Oracle {
  readonly #world: VirtualWorld;
  readonly #effects: SimulatedEffects;
  readonly #note: (line: string) => void;
  /** Launches that were answered: by workflow, the kind. */
  readonly launched = new Map<string, Kind>();
  /** Notifications that were answered. */
  readonly accepted: { workflow: string; nonce: string }[] = [];
  readonly cancelled = new Set<string>();
  /** By node that was answered, the tags that were. */
  readonly tags = new Map<string, string[]>();
  readonly fleet: FleetOracle;
  readonly #events: HeardEvents;
  readonly #logged: LoggedEvents;
  readonly #holders = new Map<string, string>();
  /** The first rule that did not hold. */
  violation: { rule: Rule; found: string } | undefined;

  constructor(world: VirtualWorld, effects: SimulatedEffects, now: () => number, note: (line: string) => void) {
    this.#world = world;
    this.#effects = effects;
    this.#note = note;
    this.#events = new HeardEvents(world, this.fail);
    this.#logged = new LoggedEvents(world);
    this.fleet = new FleetOracle(world, now, this.fail);
    world.broker.hear = (publication) => this.#events.hear(publication, note);
    world.rows.workflows.wrote = (row) => this.#wrote(row);
  }

  readonly fail = (rule: Rule, found: string): void => {
    this.violation ??= { rule, found };
    this.#note(`${rule}: ${found}`);
  };

  /** Called for each row that is saved. */
  #wrote(row: WorkflowRow): void {
    const { id, node, status, parent, version } = row;
    this.#note(`saved: ${id} ${version} ${status}`);
    this.fleet.wrote(row, this.#world.rows.workflows.get(id));
    // A child runs under the hold of its parent.
    if (node === null || parent !== null) return;
    const holder = this.#holders.get(node);
    if (!isActive(status)) {
      if (holder === id) this.#holders.delete(node);
      return;
    }
    const other = holder === undefined || holder === id ? undefined : this.#world.rows.workflows.get(holder);
    if (other !== undefined && isActive(other.status)) {
      this.fail('ONE_HOLDER', `the node ${node} has two active workflows, ${other.id} and ${id}`);
    }
    this.#holders.set(node, id);
  }

  /** Called when no fault was active for long, and all daemons live. Forgets what has ended. */
  rest(): void {
    this.#checkEffects();
    this.#checkWorkflows();
    this.#checkNodes();
    this.fleet.rest();
    this.#events.checkLog(this.#logged.read());
    this.#forgetEnded();
  }

  #checkEffects(): void {
    const rows = [...this.#world.rows.workflows.rows.all.values()];
    for (const [what, count] of this.#effects.counts) {
      if (count < 2) continue;
      const workflow = rows.find(({ tasks }) =>
        tasks.some((task) => task.instanceId === what && !REPEATED.includes(task.taskName)),
      );
      if (workflow === undefined) continue;
      this.fail('ONCE', `an effect of ${workflow.graphName} ${workflow.id} was done ${count} times`);
    }
  }

  #checkWorkflows(): void {
    const { all } = this.#world.rows.workflows.rows;
    for (const id of this.launched.keys()) {
      if (!all.has(id)) this.fail('LAUNCH_KEPT', `the workflow ${id} was launched and answered, and does not exist`);
    }
    for (const row of all.values()) {
      const kind = kinds.find(({ graph }) => graph === row.graphName);
      if (kind !== undefined) this.#checkEnd(row, kind);
      this.#checkHistory(row);
    }
    for (const { workflow, nonce } of this.accepted) this.#checkAccepted(workflow, nonce);
  }

  #checkEnd(row: WorkflowRow, kind: Kind): void {
    const { id, status, graphName } = row;
    if (isActive(status)) {
      this.#checkWaits(row, kind);
      return;
    }
    const ends = this.cancelled.has(id) ? ['cancelled', ...kind.ends] : [...kind.ends, ...kind.endsAlone];
    if (!ends.includes(status) && !this.#waitedInVain(row, kind)) {
      this.fail('ENDS', `${graphName} ${id} ended ${status}: ${row.error?.code} ${row.error?.message}`);
    }
    this.#events.checkEnded(id);
    for (const { state, instanceId, taskName, label } of row.tasks) {
      if (!taskName.startsWith('Task.Simulated.') || state !== 'succeeded') continue;
      if (this.#effects.count(instanceId) > 0) continue;
      this.fail('DONE', `${label} of ${graphName} ${id} succeeded and was not done`);
    }
  }

  /** Whether it has waited for a day for a client whose launch was not answered. */
  #waitedInVain({ id, error }: WorkflowRow, kind: Kind): boolean {
    return kind.signals > 0 && !this.launched.has(id) && error?.code === 'TASK_TIMEOUT';
  }

  /** One whose client died, or was never answered, waits for input; it says so. */
  #checkWaits({ id, graphName, tasks }: WorkflowRow, kind: Kind): void {
    const waits = tasks
      .filter(({ state }) => state === 'running' || state === 'waiting')
      .map(({ label, state, waitingOn }) => `${label} ${state} ${waitingOn}`);
    const isForClient = kind.signals > 0 && waits.some((wait) => wait.endsWith('notification'));
    if (isForClient || (kind.isCancelled && !this.cancelled.has(id))) return;
    this.fail('ENDS', `${graphName} ${id} has not ended: ${waits.join(', ')}`);
  }

  #checkHistory({ id, version }: WorkflowRow): void {
    const last = this.#world.rows.history.get(id)?.at(-1);
    if (last !== undefined && last.version > version) {
      this.fail('HISTORY', `the history of ${id} has the step ${last.version}, its row is at ${version}`);
    }
  }

  #checkAccepted(workflow: string, nonce: string): void {
    const row = this.#world.rows.workflows.get(workflow);
    if (row === undefined || !isActive(row.status)) return;
    const node = this.#world.rows.nodes.get(row.mailboxId);
    if (JSON.stringify([row, node ?? null]).includes(nonce)) return;
    this.fail('NOTIFICATION_KEPT', `the notification ${nonce} for ${workflow} was accepted and is gone`);
  }

  #checkNodes(): void {
    const nodes = this.#world.documents.of<{ id: string; tags: string[] }>({ name: 'nodes', indexes: {} });
    for (const [id, tags] of this.tags) {
      const stored = nodes.all.get(id);
      const missing = stored === undefined ? ['the node'] : tags.filter((tag) => !stored.tags.includes(tag));
      if (missing.length > 0)
        this.fail('CHANGE_KEPT', `of the node ${id}, ${missing.join(', ')} was answered and is gone`);
    }
    for (const { id, workflow } of this.#world.rows.nodes.rows.all.values()) {
      const holder = workflow === null ? undefined : this.#world.rows.workflows.get(workflow);
      if (workflow === null || (holder !== undefined && isActive(holder.status))) continue;
      this.fail('NODE_FREE', `the node ${id} is held by ${workflow}, which is not active`);
    }
  }

  activeWorkflows(): string[] {
    const rows = [...this.#world.rows.workflows.rows.all.values()];
    return rows.filter(({ status }) => isActive(status)).map(({ id }) => id);
  }

  /** The answer of a daemon about an active workflow. @param waits their number */
  explained(id: string, waits: number): void {
    const row = this.#world.rows.workflows.get(id);
    if (row !== undefined && isActive(row.status) && waits === 0)
      this.fail('WHY', `${row.graphName} ${id} waits for nothing`);
  }

  /** So that a long run stays small. */
  #forgetEnded(): void {
    const { all } = this.#world.rows.workflows.rows;
    const ended = new Set([...all.values()].filter(({ finishedAt }) => finishedAt !== null).map(({ id }) => id));
    for (const id of ended) {
      for (const { instanceId } of all.get(id)?.tasks ?? []) this.#effects.counts.delete(instanceId);
      all.delete(id);
      this.#world.rows.history.delete(id);
      this.launched.delete(id);
      this.cancelled.delete(id);
    }
    this.#events.forget(ended);
    const left = this.accepted.filter(({ workflow }) => !ended.has(workflow));
    this.accepted.splice(0, this.accepted.length, ...left);
  }
}
