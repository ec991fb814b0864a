/**
 * The quarantine: determines why the previous instance died, and prevents workflows that crash daemons from running.
 *
 * Owns the suspects in the store. Relies on the row to mark its workflow as quarantined, and on `sender.ts` to enforce it.
 *
 * 1. The evidence is evaluated before the daemon listens, and cleared when the verdict is saved.
 * 2. A workflow without a row, because its first step crashes the daemon, is barred: its row is created quarantined. If
 *    its launch, possibly as a child, already crashed the daemon, the launch is rejected.
 */
import { type FlatError, NodewrightError } from '../define/errors.ts';
import { isActive } from '../define/states.ts';
import { now } from '../lib/clock.ts';
import type { NodeRow } from '../step/node.ts';
import { isQuarantined, quarantined } from '../step/quarantined.ts';
import type { WorkflowRow } from '../step/row.ts';
import type { Collection } from '../store/port.ts';
import { CHECK_LAUNCH, type Evidence, type RunningCode } from '../watchdog/marker.ts';
import { isOld, type Suspect, type Suspects } from '../watchdog/suspects.ts';
import type { Sender } from './sender.ts';

export interface QuarantinePort {
  suspects: Suspects;
  load(id: string): Promise<WorkflowRow | undefined>;
  loadAll(ids: readonly string[]): Promise<WorkflowRow[]>;
  nodes: Collection<NodeRow>;
  send(): Sender;
  log: Pick<Log, 'error' | 'warn'>;
  failed(error: unknown): void;
}

interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export class Quarantine {
  readonly #port: QuarantinePort;
  readonly #barred = new Map<string, FlatError>();
  /** Of these, the workflows whose launch crashed the daemon. */
  readonly #rejected = new Set<string>();
  readonly #struck = new Set<string>();
  #count = 0;
  #forgetting: Promise<void> = Promise.resolve();

  constructor(port: QuarantinePort) {
    this.#port = port;
  }

  /** @param suspend workflows named by the operator. Resolves when all verdicts are saved */
  async judge(evidence: Evidence | undefined, suspend: readonly string[]): Promise<void> {
    for (const suspect of await this.#port.suspects.all()) await this.#remember(suspect);
    if (evidence !== undefined) await this.#weigh(evidence);
    for (const id of suspend) await this.#byHand(id);
  }

  async #remember(suspect: Suspect): Promise<void> {
    const { id, error, quarantined } = suspect;
    const row = await this.#port.load(id);
    if (row !== undefined && isQuarantined(row)) return;
    // It was released or has ended, and its process died before the suspect was deleted.
    const isOver = row !== undefined && (quarantined || !isActive(row.status));
    if (isOver || isOld(suspect, now())) await this.#port.suspects.forget(id);
    else if (error !== null) this.#bar(id, error, suspect.cause);
  }

  async #weigh(evidence: Evidence): Promise<void> {
    const { workflow: id, graph, cause, fate } = evidence;
    const row = await this.#port.load(id);
    if (row !== undefined && !isActive(row.status)) return;
    const why = await this.#port.suspects.strike(evidence, row?.updatedAt ?? null, now());
    if (why !== undefined) return this.#quarantine(evidence, why);
    this.#struck.add(id);
    this.#port.log.warn({ workflow: id, graph, cause, fate }, 'the daemon died while it ran this workflow');
  }

  async #byHand(id: string): Promise<void> {
    const row = await this.#port.load(id);
    const isKnown = row !== undefined ? isActive(row.status) : (await this.#port.nodes.count({ workflow: id })) > 0;
    const held = { workflow: id, graph: row?.graphName ?? '', cause: '--hold' };
    if (isKnown) return this.#quarantine(held, 'the operator quarantined it at the start (--hold)');
    this.#port.log.warn(
      { workflow: id },
      'found no active workflow with the id given by --hold; nothing is quarantined',
    );
  }

  /** Writes the row first: a quarantine that is recorded only in the suspects counts as released at the next start. */
  async #quarantine({ workflow: id, graph, cause }: RunningCode, why: string): Promise<void> {
    const error = quarantined(why);
    const outcome = await this.#port.send().workflow(id, { type: 'quarantine', error });
    if (outcome === undefined) this.#bar(id, error, cause);
    await this.#port.suspects.quarantine({ id, graph, cause }, error, now());
    this.#port.log.error({ workflow: id, graph, code: error.code, reason: why }, 'a workflow is quarantined');
  }

  #bar(id: string, error: FlatError, cause: string): void {
    this.#barred.set(id, error);
    if (cause === CHECK_LAUNCH) this.#rejected.add(id);
  }

  /** Returns why a workflow must not take its first step; undefined if it may. */
  barred(id: string): FlatError | undefined {
    return this.#barred.get(id);
  }

  /** @throws NodewrightError QUARANTINED if an earlier launch with this id crashed the daemon before the row existed */
  reject(id: string): void {
    const error = this.#rejected.has(id) ? this.#barred.get(id) : undefined;
    if (error !== undefined) throw new NodewrightError('QUARANTINED', error.message);
  }

  /** Whether it may have crashed the previous instance: such a workflow is recovered after all others. */
  isSuspect(id: string): boolean {
    return this.#struck.has(id);
  }

  /** Called when the workflow was released or has ended. */
  forget(id: string): void {
    this.#barred.delete(id);
    this.#rejected.delete(id);
    this.#forgetting = this.#forgetting.then(() => this.#port.suspects.forget(id)).catch(this.#port.failed);
  }

  /** @throws NodewrightError CONFLICT, WORKFLOW_ENDED @returns whether there is such a workflow */
  async release(id: string): Promise<boolean> {
    const row = await this.#port.load(id);
    if (row === undefined) return false;
    if (!isActive(row.status))
      throw new NodewrightError('WORKFLOW_ENDED', `the workflow ${id} has ended ${row.status}`);
    const outcome = await this.#port.send().workflow(id, { type: 'unquarantine' });
    if (outcome?.changed) return true;
    throw new NodewrightError('CONFLICT', `the workflow ${id} is ${row.status}; expected a quarantined one`);
  }

  /** Returns the number of quarantined workflows; the last known number if the store does not respond. */
  async count(): Promise<number> {
    this.#count = await this.#look().catch(() => this.#count);
    return this.#count;
  }

  /** Counts rows, because a barred workflow may never be created. */
  async #look(): Promise<number> {
    const ids = await this.#port.suspects.quarantined();
    return (await this.#port.loadAll(ids)).filter(isQuarantined).length;
  }

  close(): Promise<void> {
    return this.#forgetting;
  }
}
