/** Reads of workflows, for users and for the nodes on which they run. */
import type { Page, PagedList, Workflows } from '../../api-port/index.ts';
import { activeOn, templateVariables } from '../../durable/runtime/on-node.ts';
import type { Records } from '../../durable/runtime/records.ts';
import { type Callbacks, callbacksOf } from '../../durable/step/callbacks.ts';
import type { HistoryEntry, WorkflowRow } from '../../durable/step/row.ts';
import { templateContext } from '../../library/forms/list-of-tasks.ts';
import type { DefinitionLibrary } from '../../library/versions/library.ts';
import { mapPaced } from '../../platform/lib/pause.ts';
import { byIds, picking } from '../../platform/store/pages.ts';
import { historyPage } from './history.ts';
import { redactedWorkflow } from './redacted-workflow.ts';

interface Dependencies {
  records: Records;
  library: Pick<DefinitionLibrary, 'pinnedGraph'>;
}

export class WorkflowReads implements Workflows {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  async get(id: string): Promise<WorkflowRow | undefined> {
    const row = await this.#deps.records.workflows.load(id);
    return row && this.shownRow(row);
  }

  async ownerOf(id: string): Promise<{ owner: string | null } | undefined> {
    const row = await this.#deps.records.workflows.load(id);
    return row && { owner: row.owner ?? null };
  }

  async ownedBy(teams: readonly string[], ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await byIds(picking<WorkflowRow, 'owner'>(this.#deps.records.storedWorkflows, ['owner']), [
      ...new Set(ids),
    ]);
    return new Set(rows.flatMap(({ id, owner }) => (teams.includes(owner ?? '') ? [id] : [])));
  }

  async list({ filter, ...page }: Page): Promise<PagedList<WorkflowRow>> {
    const { storedWorkflows } = this.#deps.records;
    const rows = await storedWorkflows.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    const items = await Promise.all(await mapPaced(rows, (row) => this.shownRow(row)));
    return { items, total: await storedWorkflows.count(filter) };
  }

  async activeOn(nodeId: string): Promise<WorkflowRow | undefined> {
    const row = await this.holderOf(nodeId);
    return row && this.shownRow(row);
  }

  async history(id: string, page: Page): Promise<PagedList<HistoryEntry>> {
    const row = await this.#deps.records.workflows.load(id);
    return row === undefined ? { items: [], total: 0 } : historyPage(this.#deps.records.history, row, page);
  }

  /** Returns the row that holds the node, with its secrets; not one of its children, which share the node. */
  async holderOf(nodeId: string): Promise<WorkflowRow | undefined> {
    const [holder] = await activeOn(this.#deps.records.storedWorkflows, nodeId, 1);
    return holder;
  }

  /** Returns a copy without secrets. */
  async shownRow(row: WorkflowRow): Promise<WorkflowRow> {
    return redactedWorkflow(row, await this.#deps.library.pinnedGraph(row.definitionHash).catch(() => undefined));
  }

  /** Returns the values of `{{ context.x }}` of the workflow on the node; undefined when there is none. */
  async templateContext(node: string): Promise<unknown> {
    const row = await this.activeOn(node);
    if (row === undefined) return undefined;
    return templateContext(
      await this.#deps.library.pinnedGraph(row.definitionHash),
      row.actors.graph?.snapshot.context,
    );
  }

  /** Returns the options of the tasks that wait for the node, encrypted where they are. */
  async templateVariables(node: string): Promise<Record<string, unknown>> {
    return templateVariables(await activeOn(this.#deps.records.storedWorkflows, node));
  }

  /** Returns the callbacks of the workflows on the node. */
  async callbacks(node: string): Promise<Callbacks> {
    return callbacksOf(await activeOn(this.#deps.records.storedWorkflows, node));
  }
}
