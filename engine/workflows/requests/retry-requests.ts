/**
 * Retries: a workflow that has ended is run again as a new one, from its failed task, a label or the start.
 *
 * 1. The retry begins at the start of its graph, and each task that counts as done ends immediately with the output
 *    that it had. The graph thus comes to where it was, by its own transitions; only the other tasks run.
 * 2. It runs on the version of the original, unless the newest is asked for, which must have all tasks that are carried
 *    over. Options replace those of the original field by field.
 * 3. A `once` task that may have taken effect runs again only if the user names it. Those of child workflows are named
 *    by the graph of the child and their label.
 */
import type { RetryRequest } from '../../api-port/index.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { Graph } from '../../library/types.ts';
import type { DefinitionLibrary } from '../../library/versions/library.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { invalidInput, NodewrightError } from '../../vocabulary/errors.ts';
import { isObject, type JsonObject } from '../../vocabulary/json.ts';
import { isActive } from '../../vocabulary/states.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { NodeGraphs } from './node-graphs.ts';
import { carriedFrom, unsafeLabels } from './retry-plan.ts';

/** Encrypts the secrets in options of a user, and rejects what is encrypted or redacted already. */
type EncryptOptions = (graph: string, options: JsonObject) => Promise<JsonObject>;

export type RetryTerms = Omit<RetryRequest, 'acknowledge' | 'operator'> & {
  /** true: every `once` task may run again. */
  acknowledge?: readonly string[] | boolean;
  operator?: string | undefined;
  /** Instead of `options`: their secrets are encrypted. The labels of `acknowledge` are then for many workflows, and others are ignored. */
  storedOptions?: JsonObject;
};

type CarriedTasks = NonNullable<CheckedLaunch['retry']>['carried'];

export class Retries {
  readonly #library: Pick<DefinitionLibrary, 'pinnedGraph'>;
  readonly #graphs: NodeGraphs;
  readonly #stored: Pick<Collection<WorkflowRow>, 'find'>;
  readonly #encrypt: EncryptOptions;

  constructor(
    library: Pick<DefinitionLibrary, 'pinnedGraph'>,
    graphs: NodeGraphs,
    stored: Pick<Collection<WorkflowRow>, 'find'>,
    encrypt: EncryptOptions,
  ) {
    this.#library = library;
    this.#graphs = graphs;
    this.#stored = stored;
    this.#encrypt = encrypt;
  }

  /**
   * Returns the launch of a retry, without its id. Nothing is changed.
   * @throws NodewrightError CONFLICT, INVALID, INVALID_OPTIONS, RETRY_UNSAFE, DEFINITION_GONE
   */
  async launchOf(
    row: WorkflowRow,
    request: RetryTerms,
  ): Promise<Pick<CheckedLaunch, 'options' | 'retry' | 'isEncrypted'>> {
    const { from = 'failed', options = {}, acknowledge = [], definition, storedOptions } = request;
    if (isActive(row.status)) {
      throw new NodewrightError('CONFLICT', `the workflow ${row.id} is ${row.status}; cancel it, or wait for its end`);
    }
    if (row.parent !== null) throw child(row);
    const carried = carriedFrom(row, from);
    const graph = definition === 'newest' ? await this.#newestGraph(row, from, carried) : await this.#pinnedGraph(row);
    const unsafe = await this.#unsafeLabels(row, carried);
    const acknowledged = typeof acknowledge === 'boolean' ? (acknowledge ? unsafe : []) : acknowledge;
    checkAcknowledged(unsafe, storedOptions ? acknowledged.filter((label) => unsafe.includes(label)) : acknowledged);
    const given = storedOptions ?? (await this.#encrypt(row.graphName, options));
    return {
      options: mergeOptions(row.options, given),
      isEncrypted: true,
      retry: { retryOf: row.id, graph, carried, acknowledged: unsafe },
    };
  }

  async #pinnedGraph(row: WorkflowRow): Promise<Graph> {
    try {
      return await this.#library.pinnedGraph(row.definitionHash);
    } catch (error) {
      if (!(error instanceof NodewrightError) || error.code !== 'DEFINITION_GONE') throw error;
      const advice = 'retry it with "definition": "newest", or restore its definition';
      throw new NodewrightError('CONFLICT', `${error.message}; ${advice}`, { cause: error });
    }
  }

  async #newestGraph(row: WorkflowRow, from: string, carried: CarriedTasks): Promise<Graph> {
    const graph = await this.#graphs.graph(row.graphName, row.node);
    if (graph === undefined) throw new NodewrightError('NOT_FOUND', `Graph definition not found for ${row.graphName}`);
    const needed = [...Object.keys(carried), ...(['failed', 'start'].includes(from) ? [] : [from])];
    const taskOf = (label: string) => row.tasks.find((entry) => entry.label === label)?.taskName;
    const missing = needed.filter((label) => graph.labels.get(label)?.task.name !== taskOf(label));
    if (missing.length === 0) return graph;
    const message = `the newest version of ${graph.name} lacks ${missing.join(', ')}, or has other tasks there`;
    throw new NodewrightError('CONFLICT', `${message}; retry the version of the original, or from the start`);
  }

  /** If the version no longer exists, nothing is known of its tasks: each counts as `once`. */
  async #unsafeLabels(row: WorkflowRow, carried: CarriedTasks): Promise<string[]> {
    const graph = await this.#library.pinnedGraph(row.definitionHash).catch(() => undefined);
    const own =
      graph === undefined
        ? row.tasks
            .filter(({ label, startedAt }) => startedAt !== null && !(label in carried))
            .map(({ label }) => label)
        : unsafeLabels(row, graph, carried);
    const done = new Set(
      Object.values(carried).map(({ output }) => (isObject(output) ? output.workflowId : undefined)),
    );
    const labels = new Set(own);
    for await (const below of pages(this.#stored, { root: row.root ?? row.id })) {
      if (below.parent?.workflow !== row.id || done.has(below.id)) continue;
      for (const label of await this.#unsafeLabels(below, {})) labels.add(`${below.graphName}/${label}`);
    }
    return [...labels];
  }
}

const child = ({ id, parent }: WorkflowRow) =>
  new NodewrightError('CONFLICT', `the workflow ${id} is a child of ${parent?.workflow}; retry that one`);

function checkAcknowledged(unsafe: readonly string[], acknowledge: readonly string[]): void {
  const unknown = acknowledge.filter((label) => !unsafe.includes(label));
  if (unknown.length > 0) {
    const expected = unsafe.length === 0 ? 'none, because no task is unsafe to repeat' : unsafe.join(', ');
    throw invalidInput('acknowledge', `names ${unknown.slice(0, 10).join(', ')}; expected ${expected}`);
  }
  const left = unsafe.filter((label) => !acknowledge.includes(label));
  if (left.length === 0) return;
  const violations = left.map((label) => ({
    path: 'acknowledge',
    message: `lacks ${label}, a once task that may have taken effect`,
  }));
  const message = `these once tasks would run again, and may have taken effect: ${left.join(', ')}`;
  throw new NodewrightError('RETRY_UNSAFE', message, { violations });
}

const mergeOptions = (original: JsonObject, options: JsonObject): JsonObject => ({
  ...original,
  ...Object.fromEntries(
    Object.entries(options).map(([label, own]) => {
      const before = original[label];
      return [label, isObject(before) && isObject(own) ? { ...before, ...own } : own];
    }),
  ),
});
