/**
 * Requests of users to failures. Each workflow has the id of its failure in its row, written by the step that ended it, so that a
 * list reads an index and no workflow but samples.
 *
 * 1. A failure is addressed if a user said so after its newest workflow ended: a new one reopens it, without a write that
 *    a process could die before.
 * 2. A group of stuck workflows is open as long as one is: nothing of it is stored but what users say.
 * 3. The work of a request is bounded: the newest failed workflows, and facts of a few of each group.
 */
import type { BulkActions } from '../../api-port/bulk-actions.ts';
import type { CommonFact, FailureAction, FailureRecord, Failures } from '../../api-port/failures.ts';
import type { Page, PagedList } from '../../api-port/page.ts';
import type { Records } from '../../durable/runtime/records.ts';
import { failureCause } from '../../durable/step/failure-cause.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { StuckWorkflow } from '../../durable/telemetry/workflow-metrics.ts';
import { now } from '../../platform/lib/clock.ts';
import { byIds, firstIn, picking } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { Query } from '../../platform/store/query.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { DAY_MS } from '../../vocabulary/units.ts';
import { ownedByTeams } from '../team-filter.ts';
import { commonFacts } from './common-facts.ts';
import { type FailureGroup, failureGroups, retriedIds, sortedGroups, stuckGroups } from './failure-groups.ts';
import type { StoredFailure } from './stored-failure.ts';
import { type FactsScope, workflowFacts } from './workflow-facts.ts';

export interface FailuresPort extends FactsScope {
  stored: Collection<StoredFailure>;
  records: Pick<Records, 'storedWorkflows'>;
  /** Returns a copy of the row without secrets. */
  shownRow(row: WorkflowRow): Promise<WorkflowRow>;
  actions: Pick<BulkActions, 'create'>;
  /** Returns the workflows that are stuck now. */
  stuck(): Promise<readonly StuckWorkflow[]>;
}

const DEFAULT_DAYS = 7;
const WORKFLOWS_READ = 10_000;
/** Workflows whose facts are compared, of the failed and of the succeeded ones. */
const COMPARED = 10;
const COMPARED_GROUPS = 20;

export class FailureRequests implements Failures {
  readonly #port: FailuresPort;

  constructor(port: FailuresPort) {
    this.#port = port;
  }

  async list(
    { skip, limit, filter, sort }: Page,
    since = daysAgo(),
    teams?: readonly string[],
  ): Promise<PagedList<FailureRecord>> {
    const { addressed: wanted, stuck, ...given } = filter as { addressed?: boolean; stuck?: boolean };
    const rest = { $and: [ownedByTeams(teams), given] };
    const groups = stuck
      ? await this.#stuckGroups(rest)
      : await this.#groups({ $and: [{ finishedAt: { $gte: since } }, rest] });
    const ids = teams === undefined ? groups.map(({ id }) => id) : [];
    const marks = new Map((await byIds(this.#port.stored, ids)).map((mark) => [mark.id, mark]));
    const chosen = groups.filter((group) => wanted === undefined || isAddressed(group, marks.get(group.id)) === wanted);
    const page = sortedGroups(chosen, sort).slice(skip, skip + limit);
    return { items: await this.#records(page, marks, since, teams), total: chosen.length };
  }

  async act(id: string, given: FailureAction): Promise<FailureRecord | undefined> {
    const since = daysAgo();
    const isIt = (one: FailureGroup) => one.id === id;
    const group =
      (await this.#groups({ finishedAt: { $gte: since } })).find(isIt) ?? (await this.#stuckGroups({})).find(isIt);
    if (group === undefined) return undefined;
    if (given.command === 'retry' && group.cause !== undefined)
      throw new NodewrightError('CONFLICT', `the workflows of ${id} are stuck; retry needs ones that failed`);
    const action = given.command === 'retry' ? await this.#retry(group, given) : undefined;
    await this.#mark(id, given);
    const mark = await this.#port.stored.get(id);
    const [record] = await this.#records([group], new Map(mark && [[id, mark]]), since);
    return record && { ...record, ...(action !== undefined && { action }) };
  }

  /** For the retention. */
  async removeBefore(before: string): Promise<void> {
    await this.#port.stored.remove({ updatedAt: { $lt: before } });
  }

  /** @returns the id of the action */
  async #retry({ workflows }: FailureGroup, { operator, launcherRoles }: FailureAction): Promise<string> {
    const select = { ids: retriedIds(workflows) };
    const request = { command: 'retry' as const, select, ...(launcherRoles && { launcherRoles }) };
    return (await this.#port.actions.create({ ...request, ...(operator !== undefined && { operator }) })).id;
  }

  async #mark(id: string, { command, note, operator }: FailureAction): Promise<void> {
    const by = operator ?? null;
    const at = new Date(now()).toISOString();
    const change = {
      ...(command !== 'retry' && { addressed: command === 'address' ? { at, by, note: note ?? null } : null }),
      ...(note !== undefined && { note: { at, by, command, text: note } }),
      updatedAt: at,
    };
    await this.#port.stored.insertMissing([{ id, addressed: null, note: null, updatedAt: at }]);
    await this.#port.stored.update({ id }, { $set: change });
  }

  /** The group with the newest workflow first. */
  async #groups(filter: Record<string, unknown>): Promise<FailureGroup[]> {
    const fields = ['failure', 'graphName', 'node', 'root', 'finishedAt'] as const;
    const failed = { $and: [{ status: 'failed' }, filter] };
    const newest = { sort: { finishedAt: -1 as const }, most: WORKFLOWS_READ };
    return failureGroups(await firstIn(picking(this.#port.records.storedWorkflows, fields), failed, newest));
  }

  async #stuckGroups(filter: Record<string, unknown>): Promise<FailureGroup[]> {
    const query = new Query(filter);
    const named = (await this.#port.stuck()).filter((one) => query.test({ ...one, errorCode: one.cause.code }));
    return stuckGroups(named);
  }

  async #records(
    groups: readonly FailureGroup[],
    marks: ReadonlyMap<string, StoredFailure>,
    since: string,
    teams?: readonly string[],
  ): Promise<FailureRecord[]> {
    const records: FailureRecord[] = [];
    for (const [place, group] of groups.entries()) {
      const { id, workflows, nodes, firstAt, lastAt } = group;
      const rows = await this.#rows({
        id: { $in: workflows.slice(0, place < COMPARED_GROUPS ? COMPARED : 1).map((one) => one.id) },
      });
      const sample = rows.find((row) => row.id === workflows[0]?.id) ?? rows[0];
      const cause = group.cause ?? (sample && failureCause(sample));
      // It was deleted in the meantime.
      if (sample === undefined || cause === undefined) continue;
      const mark = marks.get(id);
      records.push({
        id,
        ...cause,
        kind: group.cause === undefined ? 'failed' : 'stuck',
        sample: sample.id,
        sampleMessage: group.cause === undefined ? (sample.error?.message ?? null) : null,
        count: workflows.length,
        retries: retriedIds(workflows).length,
        nodes,
        firstAt,
        lastAt,
        addressed: isAddressed(group, mark) ? (mark?.addressed ?? null) : null,
        note: mark?.note ?? null,
        common: place < COMPARED_GROUPS ? await this.#common(group, rows, since, teams) : [],
      });
    }
    return records;
  }

  async #common(
    { graph }: FailureGroup,
    failed: readonly WorkflowRow[],
    since: string,
    teams: readonly string[] | undefined,
  ): Promise<CommonFact[]> {
    if (failed.length < 2) return [];
    const filter = {
      $and: [{ status: 'succeeded' }, { graphName: graph }, { finishedAt: { $gte: since } }, ownedByTeams(teams)],
    };
    const succeeded = await this.#rows(filter, { sort: { finishedAt: -1 as const }, limit: COMPARED });
    const facts = await workflowFacts(this.#port, [...failed, ...succeeded]);
    return commonFacts(facts.slice(0, failed.length), facts.slice(failed.length));
  }

  async #rows(
    filter: Record<string, unknown>,
    page: { sort?: Record<string, 1 | -1>; limit?: number } = {},
  ): Promise<WorkflowRow[]> {
    const rows = await this.#port.records.storedWorkflows.find(filter, page);
    return Promise.all(rows.map((row) => this.#port.shownRow(row)));
  }
}

const daysAgo = (): string => new Date(now() - DEFAULT_DAYS * DAY_MS).toISOString();

const isAddressed = ({ lastAt }: FailureGroup, mark: StoredFailure | undefined): boolean =>
  mark?.addressed !== undefined && mark.addressed !== null && mark.addressed.at >= lastAt;
