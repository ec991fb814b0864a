/**
 * The quarantine: determines why the previous instance died, and prevents workflows that crash daemons from running.
 *
 * Owns the suspects in the store. Relies on the row to mark its workflow as quarantined, and on `sender.ts` to enforce it.
 *
 * 1. The evidence is evaluated before the daemon listens, and cleared when the verdict is saved.
 * 2. The version of its graph is quarantined too, and so are others of the same author: `barred-versions.ts`. No launch, check
 *    or simulation runs it, and its other workflows are quarantined at their next step, until it is released, or one of them.
 * 3. A workflow without a row, because its first step crashes the daemon, is barred (`barred.ts`): its row is created quarantined. If
 *    its launch, possibly as a child, already crashed the daemon, the launch is rejected.
 */

import type { Provenance } from '../../library/versions/provenance.ts';
import { now } from '../../platform/lib/clock.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isActive } from '../../vocabulary/states.ts';
import { traceIdOf } from '../../vocabulary/traceparent.ts';
import { isQuarantined, quarantineError } from '../step/quarantined.ts';
import type { Evidence, RunningCode } from '../watchdog/marker.ts';
import { isOld, type Suspect, type Suspects } from '../watchdog/suspects.ts';
import type { BarredWorkflows } from './barred.ts';
import { type BarredVersions, isVersionId, type VersionBar, versionId } from './barred-versions.ts';
import type { Records } from './records.ts';
import type { RuntimePort } from './runtime-port.ts';
import type { Sender } from './sender.ts';

export interface QuarantineParts {
  suspects: Suspects;
  barred: BarredWorkflows;
  versions: BarredVersions;
  records: Pick<Records, 'workflows' | 'storedNodes'>;
  send: Sender;
  log: RuntimePort['log'];
}

export class Quarantine {
  readonly #parts: QuarantineParts;
  readonly #struck = new Set<string>();
  #count = 0;

  constructor(parts: QuarantineParts) {
    this.#parts = parts;
  }

  /** @param suspend workflows named by the operator. Resolves when all verdicts are saved */
  async judge(evidence: Evidence | undefined, suspend: readonly string[]): Promise<void> {
    for (const suspect of await this.#parts.suspects.all()) await this.#remember(suspect);
    await this.#parts.versions.refresh();
    if (evidence !== undefined) await this.#weigh(evidence);
    for (const id of suspend) await this.#byHand(id);
  }

  async #remember(suspect: Suspect): Promise<void> {
    const { id, error, quarantined } = suspect;
    if (isVersionId(id)) return isOld(suspect, now()) ? this.#parts.suspects.forget(id) : undefined;
    const row = await this.#parts.records.workflows.load(id);
    if (row !== undefined && isQuarantined(row)) return;
    // It was released or has ended, and its process died before the suspect was deleted.
    const isOver = row !== undefined && (quarantined || !isActive(row.status));
    if (isOver || isOld(suspect, now())) await this.#parts.suspects.forget(id);
    else if (error !== null) this.#parts.barred.bar(id, error, suspect.cause);
  }

  async #weigh(evidence: Evidence): Promise<void> {
    const { workflow: id, graph, cause, fate } = evidence;
    const row = await this.#parts.records.workflows.load(id);
    if (row !== undefined && !isActive(row.status) && fate === 'died') return;
    const why = await this.#parts.suspects.strike(evidence, row?.updatedAt ?? null, now());
    if (why !== undefined) {
      await this.#quarantineVersion(evidence, why);
      if (row === undefined || isActive(row.status)) await this.#quarantine(evidence, why);
      return;
    }
    this.#struck.add(id);
    const traceId = row && traceIdOf(row);
    this.#parts.log.warn({ workflow: id, graph, cause, fate, traceId }, 'the daemon died while it ran this workflow');
  }

  async #byHand(id: string): Promise<void> {
    const row = await this.#parts.records.workflows.load(id);
    const isKnown =
      row !== undefined ? isActive(row.status) : (await this.#parts.records.storedNodes.count({ workflow: id })) > 0;
    const suspended = { workflow: id, graph: row?.graphName ?? '', cause: '--suspend' };
    if (isKnown) return this.#quarantine(suspended, 'the operator quarantined it at the start (--suspend)');
    this.#parts.log.warn(
      { workflow: id },
      'found no active workflow with the id given by --suspend; nothing is quarantined',
    );
  }

  /** Writes the row first: a quarantine that is recorded only in the suspects counts as released at the next start. */
  async #quarantine({ workflow: id, graph, cause, version }: RunningCode, why: string): Promise<void> {
    const error = quarantineError(why);
    const outcome = await this.#parts.send.workflow(id, { type: 'quarantine', error });
    await this.#parts.suspects.quarantine(
      { id, graph, cause, ...(version !== undefined && { version }) },
      error,
      now(),
    );
    if (outcome === undefined) this.#parts.barred.bar(id, error, cause);
    const traceId = outcome && traceIdOf(outcome.row);
    this.#parts.log.error({ workflow: id, graph, code: error.code, reason: why, traceId }, 'a workflow is quarantined');
  }

  async #quarantineVersion({ version, author, graph, cause }: RunningCode, why: string): Promise<void> {
    if (version === undefined) return;
    const id = versionId(version);
    const message = `version ${version.slice(0, 12)} of ${graph} is quarantined: ${why}`;
    const error = { ...quarantineError(why), message };
    await this.#parts.suspects.quarantine({ id, graph, cause, ...(author !== undefined && { author }) }, error, now());
    await this.#parts.versions.announce();
    this.#parts.log.error(
      { graph, version, author, code: error.code, reason: why },
      'a version of a graph is quarantined',
    );
  }

  /** Whether it may have crashed the previous instance: such a workflow is recovered after all others. */
  isSuspect(id: string): boolean {
    return this.#struck.has(id);
  }

  /** @throws NodewrightError CONFLICT, WORKFLOW_ENDED @returns whether there is such a workflow */
  async release(id: string, by?: string): Promise<boolean> {
    const row = await this.#parts.records.workflows.load(id);
    if (row === undefined) return false;
    if (!isActive(row.status))
      throw new NodewrightError('WORKFLOW_ENDED', `the workflow ${id} has ended ${row.status}`);
    const outcome = await this.#parts.send.workflow(id, { type: 'unquarantine', ...(by !== undefined && { by }) });
    if (outcome?.changed) return true;
    throw new NodewrightError('CONFLICT', `the workflow ${id} is ${row.status}; expected a quarantined one`);
  }

  /** Reads the store, for what other daemons have quarantined or released. @returns whether any version is */
  async hasVersions(): Promise<boolean> {
    await this.#parts.versions.refresh();
    return this.#parts.versions.isAnyBarred;
  }

  /** Returns why no code of a version may run; undefined: it may. */
  barOf(code: Provenance): VersionBar | undefined {
    return this.#parts.versions.barOf(code);
  }

  /** Lets a version run again. @returns false if it is not quarantined */
  async releaseVersion(code: Provenance, graph: string, by?: string): Promise<boolean> {
    const released = await this.#parts.versions.release(code);
    if (released.length === 0) return false;
    this.#parts.log.warn({ graph, versions: released, by }, 'versions of graphs are released from quarantine');
    return true;
  }

  /** Returns the number of quarantined workflows; the last known number if the store does not respond. */
  async count(): Promise<number> {
    this.#count = await this.#look().catch(() => this.#count);
    return this.#count;
  }

  /** Counts rows, because a barred workflow may never be created. */
  async #look(): Promise<number> {
    const ids = await this.#parts.suspects.quarantinedIds();
    return (await this.#parts.records.workflows.loadAll(ids)).filter(isQuarantined).length;
  }
}
