/**
 * The images that nodes boot for their workflows, and the boot tasks that end at the first request of the agent.
 *
 * 1. The newest boot task that waits decides. After its end the node still boots its image while a task of a workflow on
 *    the node may need the agent: a machine that reboots in between would otherwise never ask again. While a workflow that has
 *    written a drive only waits for a report, the system on that drive has to report, so the node boots its disk.
 * 2. A request ends the boot tasks that wait when it arrives. A request from before belongs to an earlier boot.
 */
import type { Boot } from '../../api-port/agents.ts';
import { localBoot } from '../../define/command.ts';
import type { Runtime } from '../../durable/runtime/runtime.ts';
import { taskRunKey } from '../../durable/step/builder.ts';
import { isQuarantined } from '../../durable/step/quarantined.ts';
import type { Operation, WorkflowRow } from '../../durable/step/row.ts';
import { before, optionOf, UNKNOWN } from '../../library/forms/needs.ts';
import type { Graph } from '../../library/types.ts';
import type { DefinitionLibrary } from '../../library/versions/library.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isTaskRunEnd } from '../../vocabulary/states.ts';

export class Boots {
  readonly #library: Pick<DefinitionLibrary, 'pinnedGraph'>;
  readonly #send: Pick<Runtime['send'], 'workflow'>;

  constructor(library: Pick<DefinitionLibrary, 'pinnedGraph'>, send: Pick<Runtime['send'], 'workflow'>) {
    this.#library = library;
    this.#send = send;
  }

  /** @param rows the active workflows on a node @returns undefined: none of them says what to boot */
  async imageOf(rows: readonly WorkflowRow[]): Promise<Boot | undefined> {
    const waiting = rows.flatMap(({ id, operations }) =>
      Object.values(operations).flatMap((operation) =>
        operation.kind === 'release' && operation.input.boot !== undefined
          ? [{ ...operation.input.boot, workflow: id }]
          : [],
      ),
    );
    const ended = rows.flatMap(({ id, booted }) => (booted === undefined ? [] : [{ ...booted, workflow: id }]));
    const image = waiting.at(-1);
    if (image !== undefined) return image;
    if (ended.length > 0) for (const row of rows) if (await this.#needsAgent(row)) return ended.at(-1);
    for (const row of rows) if (await this.#waitsForSystem(row)) return { ...localBoot, workflow: row.id };
    return undefined;
  }

  async #waitsForSystem(row: WorkflowRow): Promise<boolean> {
    const open = Object.values(row.operations);
    if (open.length === 0 || open.some(({ kind }) => kind !== 'notification')) return false;
    const graph = await this.#graph(row);
    return row.tasks.some(
      ({ label, state }) => state === 'succeeded' && graph?.labels.get(label)?.task.drives !== undefined,
    );
  }

  async #needsAgent(row: WorkflowRow): Promise<boolean> {
    const open = row.tasks.filter(({ state }) => !isTaskRunEnd(state) && state !== 'skipped');
    const graph = await this.#graph(row);
    // The needs of a suspended workflow are not known.
    return graph === undefined || open.some(({ label }) => graph.labels.get(label)?.task.takesCommands === true);
  }

  async #graph({ definitionHash }: WorkflowRow): Promise<Graph | undefined> {
    try {
      return await this.#library.pinnedGraph(definitionHash);
    } catch (error) {
      if (error instanceof NodewrightError && error.code === 'DEFINITION_GONE') return undefined;
      throw error;
    }
  }

  /** Ends the boot tasks that wait for a request of the agent. @returns whether there were any */
  async endAtRequest(rows: readonly WorkflowRow[]): Promise<boolean> {
    let isEnded = false;
    for (const row of rows) {
      if (isQuarantined(row)) continue;
      for (const operation of Object.values(row.operations)) {
        if (operation.kind !== 'release' || operation.input.onRequest !== true) continue;
        const graph = await this.#graph(row);
        if (graph === undefined || isReleased(graph, row, operation)) continue;
        await this.#send.workflow(row.id, { type: 'work.done', operation: operation.id, output: {} });
        isEnded = true;
      }
    }
    return isEnded;
  }
}

/** Whether a task of the graph may release the group before the task with this operation has ended. */
function isReleased(graph: Graph, row: WorkflowRow, { taskRun, input }: Extract<Operation, { kind: 'release' }>) {
  const runLabel = row.actors[taskRunKey(taskRun)]?.label ?? '';
  return [...graph.labels.values()].some((label) => {
    const { releases } = label.task;
    if (releases === undefined || before(graph, label.label).has(runLabel)) return false;
    const group = optionOf(graph, label, row.options, releases);
    return group === UNKNOWN || group === input.group;
  });
}
