/**
 * Sends messages to actors: takes a step of the actor's row, saves it, then runs its effects. Everything that happens
 * to a workflow or a node passes through here: requests, ends of operations, timers, notifications, other actors.
 *
 * 1. When `workflow` or `node` resolves, the step is saved. Its effects are running; `settled` waits for them.
 * 2. A workflow takes its steps on the definition that it started with. If that definition is missing the workflow is
 *    suspended: its `error` shows why, it keeps its node, and it resumes when the definition is back. Until then
 *    messages are rejected, and their senders repeat them. Only `cancel` ends it.
 * 3. A quarantined workflow takes no step except a release or a cancel; neither runs its machine. Other messages are
 *    rejected, as for a suspended workflow.
 * 4. The machine runs under the watchdog, including the first step of a workflow. An error that its code leaves to a promise
 *    counts as thrown by the graph.
 *
 * Called by: requests (`workflows/requests/`, `inventory/agents/`), ends of activities (`worker.ts`, `send-once.ts`),
 *   timers (`runtime.ts`), effects that are messages (`effects.ts`), the sweep (`sweep.ts`), the quarantine.
 * Calls: `rows.ts` to take and save a step, `step/` to compute it, `library/` for the pinned definition, `pairs.ts` to save
 *   a workflow with its node, `effect-runner.ts` after the save.
 */
import { randomUUID } from 'node:crypto';
import type { Graph } from '../../library/types.ts';
import type { DefinitionLibrary } from '../../library/versions/library.ts';
import { provenanceOf } from '../../library/versions/provenance.ts';
import { now } from '../../platform/lib/clock.ts';
import { flatten, NodewrightError } from '../../vocabulary/errors.ts';
import { isActive } from '../../vocabulary/states.ts';
import type { NodeMessage, StartCommand, WorkflowMessage } from '../actors/messages.ts';
import type { Env } from '../step/builder.ts';
import { type NodeRow, newNodeRow, nodeStepOfAll } from '../step/node.ts';
import { lateNotification } from '../step/operations.ts';
import { isQuarantined, quarantine, quarantinedRow, unquarantine } from '../step/quarantined.ts';
import type { Effect, StepResult, WorkflowRow } from '../step/row.ts';
import { abandon, suspend } from '../step/suspend.ts';
import { launch, step } from '../step/workflow.ts';
import { followStep, strayOf } from '../watchdog/stray-errors.ts';
import type { Watch } from '../watchdog/watchdog.ts';
import type { BarredWorkflows } from './barred.ts';
import type { BarredVersions } from './barred-versions.ts';
import { deliver } from './delivery.ts';
import type { EffectRunner } from './effect-runner.ts';
import type { Pairs } from './pairs.ts';
import type { Rows } from './rows.ts';

/** A step has effects, and effects send messages: the effect runners exist after the sender. */
export interface SenderPort {
  workflows: Rows<WorkflowRow>;
  nodes: Rows<NodeRow>;
  pairs: Pick<Pairs, 'launch' | 'ending' | 'both'> | undefined;
  workflowEffects(): EffectRunner<WorkflowRow>;
  nodeEffects(): EffectRunner<NodeRow>;
  library: Pick<DefinitionLibrary, 'pinnedGraph'>;
  reply(effect: Effect, row: WorkflowRow): Promise<void>;
  /** Called once for each workflow step, when it is first saved. `before`: the row that it was taken on; absent: none. */
  saved(row: WorkflowRow, before?: WorkflowRow): void;
  /** Called with the ms from a message to its saved step. */
  took(ms: number): void;
  /** Returns the process that runs a new activity chain without a job, if any. */
  home(): string | undefined;
  watch: Watch;
  barred: Pick<BarredWorkflows, 'errorOf' | 'forget'>;
  versions: Pick<BarredVersions, 'confirm' | 'release'>;
}

export interface StepOutcome<R> {
  changed: boolean;
  row: R;
  /** Resolves when the effects of the step have run. Never rejects. False: one has failed, and will be repeated. */
  settled: Promise<boolean>;
}

/** Nothing is left to do. */
const DONE = Promise.resolve(true);

const MISSING = 'DEFINITION_GONE';

const QUARANTINED = 'QUARANTINED';
/** They need no repeat: timers resume after a release. */
const rejectsNothing: readonly WorkflowMessage['type'][] = ['quarantine', 'timer'];

const stillHeld = ({ id, error }: WorkflowRow) =>
  new NodewrightError(QUARANTINED, `the workflow ${id} is quarantined: ${error?.message}`);

const stillMissing = ({ id, error }: WorkflowRow) =>
  new NodewrightError(MISSING, `the workflow ${id} is suspended: ${error?.message}`);

export class Sender {
  readonly #port: SenderPort;

  constructor(port: SenderPort) {
    this.#port = port;
  }

  #env(): Env {
    return { now: now(), uuid: randomUUID, home: this.#port.home() };
  }

  /** @returns undefined if there is no such workflow */
  async workflow(id: string, message: WorkflowMessage): Promise<StepOutcome<WorkflowRow> | undefined> {
    let before: WorkflowRow | undefined;
    const since = performance.now();
    const outcome = await this.#port.workflows.step(id, async (row) => {
      before = row;
      const result = await this.#step(row, message);
      return isActive(result.row.status) ? result : (this.#port.pairs?.ending(result) ?? result);
    });
    if (outcome === undefined) return undefined;
    this.#port.took(performance.now() - since);
    // The sender repeats the message, so it is not lost while the workflow is suspended.
    if (outcome.row.error?.code === MISSING && isActive(outcome.row.status)) throw stillMissing(outcome.row);
    const isRejected = outcome.changed && isQuarantined(outcome.row) && !rejectsNothing.includes(message.type);
    if (isRejected) throw stillHeld(outcome.row);
    for (const reply of outcome.replies) await this.#port.reply(reply, outcome.row);
    const { changed, row } = outcome;
    const carried = changed ? this.#runEffects(row, false, before) : Promise.resolve(true);
    const wasQuarantined = changed && before !== undefined && isQuarantined(before);
    return { changed, row, settled: wasQuarantined ? this.#isUnquarantined(row, carried) : carried };
  }

  /** Runs the due timers of the workflow, if there is any. */
  async timer(id: string): Promise<void> {
    await this.workflow(id, { type: 'timer' });
  }

  /**
   * Notifications for the workflow were rejected, and block the later effects of its node's actor. After a release, the
   * sweep delivers them: if they crash the daemon again, the release has already been answered.
   */
  async #isUnquarantined({ id, mailboxId, status }: WorkflowRow, carried: Promise<boolean>): Promise<boolean> {
    this.#port.barred.forget(id);
    if (isActive(status)) return carried;
    const node = await this.#port.nodes.load(mailboxId).catch(() => undefined); // the sweep tries again
    await (node && this.#port.nodeEffects().retry(node));
    return carried;
  }

  /** @param isNew this process has just inserted the row */
  #runEffects(row: WorkflowRow, isNew: boolean, before?: WorkflowRow): Promise<boolean> {
    this.#port.saved(row, before);
    const effects = this.#port.workflowEffects();
    return isNew ? effects.runFirst(row) : effects.run(row);
  }

  async #step(row: WorkflowRow, message: WorkflowMessage): Promise<StepResult<WorkflowRow>> {
    if (!isActive(row.status)) return { changed: false, row, replies: lateNotification(row, message) };
    if (message.type === 'quarantine') return quarantine(row, message.error, this.#env());
    if (isQuarantined(row) && message.type !== 'unquarantine') return this.#rejectMessage(row, message);
    if (message.type === 'unquarantine' && !isQuarantined(row)) return { changed: false, row, replies: [] };
    try {
      const graph = await this.#port.library.pinnedGraph(row.definitionHash);
      const take = (env: Env) =>
        message.type === 'unquarantine' ? unquarantine(row, graph, message, env) : step(row, graph, message, env);
      if (message.type === 'unquarantine') await this.#port.versions.release(provenanceOf(graph));
      else await this.#port.versions.confirm(provenanceOf(graph));
      return await this.#runWatched(row, graph, message.type, take);
    } catch (error) {
      if (error instanceof NodewrightError && error.code === QUARANTINED)
        return this.#quarantinedStep(row, message, error);
      if (!(error instanceof NodewrightError) || error.code !== MISSING) throw error;
      return message.type === 'cancel' ? abandon(row, message, this.#env()) : suspend(row, flatten(error), this.#env());
    }
  }

  /** The version of its graph is quarantined. */
  #quarantinedStep(row: WorkflowRow, message: WorkflowMessage, error: NodewrightError): StepResult<WorkflowRow> {
    return message.type === 'cancel'
      ? abandon(row, message, this.#env())
      : quarantine(row, flatten(error), this.#env());
  }

  /** Handles messages to a quarantined workflow; its timers resume after a release. */
  #rejectMessage(row: WorkflowRow, message: WorkflowMessage): StepResult<WorkflowRow> {
    if (message.type === 'cancel') return abandon(row, message, this.#env());
    if (message.type === 'timer') return { changed: false, row, replies: [] };
    throw stillHeld(row);
  }

  /** Takes the step again if its code leaves an error unhandled: the graph then ends with the error, in the same step. */
  async #runWatched<T>(
    { id, graphName }: Pick<StartCommand, 'id' | 'graphName'>,
    graph: Graph,
    cause: string,
    take: (env: Env) => T,
  ): Promise<T> {
    const env = this.#env();
    const running = { workflow: id, graph: graphName, cause, ...provenanceOf(graph) };
    const { watch } = this.#port;
    const { value, stray } = await watch(running, () => strayOf(() => take(env)));
    // The same errors again, which have been reported.
    return stray === undefined
      ? value
      : watch(running, () =>
          followStep(
            () => {},
            () => take({ ...env, stray }),
          ),
        );
  }

  async #createRow(start: StartCommand): Promise<WorkflowRow> {
    const graph = await this.#port.library.pinnedGraph(start.definitionHash);
    const { barred, versions } = this.#port;
    const error = barred.errorOf(start.id) ?? (await versions.confirm(provenanceOf(graph)));
    if (error !== undefined) return quarantinedRow(start, graph, error, this.#env());
    return this.#runWatched(start, graph, 'launch', (env) => launch(start, graph, env));
  }

  /** Creates a workflow and takes its first step. Idempotent: repeating the same start command changes nothing. */
  async create(start: StartCommand): Promise<void> {
    const row = await this.#createRow(start);
    if (await this.#port.workflows.insert(row)) void this.#runEffects(row, true);
  }

  /**
   * The same on behalf of the node's actor, possibly late: the workflow may have run, ended and been removed. The
   * actor's row, read after the insert, shows whether it is still current; no effects run before that.
   */
  async startClaimed(start: StartCommand, claim: NodeRow): Promise<void> {
    const { workflows, nodes } = this.#port;
    const row = await this.#createRow(start);
    const isNew = await (nodes.isOwn(claim) ? workflows.insert(row) : workflows.insertOnce(row));
    if (!isNew) return;
    if ((await nodes.load(start.mailboxId))?.workflow === start.id) void this.#runEffects(row, true);
    else await workflows.withdraw(row);
  }

  /**
   * A node without a row is idle; its row is created with the first message that needs one.
   * @param others further messages, taken in the same step
   */
  async node(id: string, message: NodeMessage, ...others: NodeMessage[]): Promise<StepOutcome<NodeRow>> {
    const messages = [message, ...others];
    // The actor of a workflow without a node ends with the workflow.
    if (messages.some((one) => one.type === 'ended' && one.workflow === id)) await this.#port.nodes.remove(id);
    const together = others.length === 0 ? await this.#together(id, message) : undefined;
    if (together !== undefined) return together;
    const take = async (row: NodeRow) => nodeStepOfAll(row, messages, now());
    const outcome = (await this.#port.nodes.step(id, take)) ?? (await this.#first(id, message, take));
    const { changed, row } = outcome ?? { changed: false, row: newNodeRow(id, now()) };
    return { changed, row, settled: changed ? this.#port.nodeEffects().run(row) : DONE };
  }

  /** Takes the step with one of the workflow, if the live port can save both. */
  async #together(id: string, message: NodeMessage): Promise<StepOutcome<NodeRow> | undefined> {
    if (message.type === 'launch') return this.#launch(id, message);
    return message.type === 'notify' ? this.#deliver(id, message) : undefined;
  }

  async #deliver(id: string, message: NodeMessage): Promise<StepOutcome<NodeRow> | undefined> {
    const { workflows, nodes, pairs } = this.#port;
    if (pairs === undefined) return undefined;
    const since = performance.now();
    const step = (row: WorkflowRow, ended: WorkflowMessage) => this.#step(row, ended);
    const delivery = await deliver({ workflows, nodes, pairs, step }, id, message);
    if (delivery === undefined) return undefined;
    this.#port.took(performance.now() - since);
    const settled = this.#port.nodeEffects().run(delivery.node);
    // The event of the notification is sent before those of its consequences.
    await Promise.resolve();
    void this.#runEffects(delivery.workflow, false, delivery.before);
    return { changed: true, row: delivery.noticed, settled };
  }

  /** Takes the node together with the insertion of the workflow, if the live port can save both. */
  async #launch(id: string, message: Extract<NodeMessage, { type: 'launch' }>) {
    const { pairs, nodes } = this.#port;
    // Most likely it is still busy; its row is read before that is the answer.
    if (pairs === undefined || (nodes.knownRow(id)?.workflow ?? null) !== null) return undefined;
    // If the definition is missing, the effect starts the workflow once the definition is back.
    const workflow = await this.#createRow(message.start).catch(() => undefined);
    const outcome = workflow && (await pairs.launch(message, workflow));
    if (workflow === undefined || outcome === undefined) return undefined;
    const { isTaken, row } = outcome;
    if (isTaken) void this.#runEffects(workflow, true);
    return { changed: isTaken, row, settled: DONE };
  }

  /**
   * Sends a saved end of a workflow to its node, which may not have received it.
   * @returns whether the workflow has ended
   */
  async syncEnded(node: string, workflow: string): Promise<boolean> {
    const row = await this.#port.workflows.load(workflow);
    if (row === undefined || isActive(row.status)) return false;
    await this.node(node, { type: 'ended', workflow });
    return true;
  }

  /** Decommissions the node, so that no workflow can take it. @returns the workflow that still holds it, or null */
  async decommission(node: string): Promise<string | null> {
    let holder = (await this.node(node, { type: 'retire' })).row.workflow;
    if (holder !== null && (await this.syncEnded(node, holder)))
      holder = (await this.node(node, { type: 'retire' })).row.workflow;
    if (holder === null) this.#port.nodes.forget(node);
    return holder;
  }

  async #first(id: string, message: NodeMessage, take: (row: NodeRow) => Promise<StepResult<NodeRow>>) {
    if (message.type !== 'launch' && message.type !== 'retire' && message.type !== 'hold') return undefined;
    await this.#port.nodes.insert(newNodeRow(id, now()));
    return this.#port.nodes.step(id, take);
  }
}
