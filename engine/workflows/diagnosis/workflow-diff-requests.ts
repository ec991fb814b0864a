/** Compares two workflows of one graph: where the second first went another way, and what else was different. */
import type { Nodes, Workflows } from '../../api-port/index.ts';
import type { WorkflowDiffRecord, WorkflowDiffs } from '../../api-port/workflow-diffs.ts';
import type { HistoryEntry, WorkflowRow } from '../../durable/step/row.ts';
import type { StoredCatalog } from '../../inventory/nodes/catalogs.ts';
import { now } from '../../platform/lib/clock.ts';
import { byIds } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { redact } from '../../vocabulary/conceal.ts';
import { invalidInput, NodewrightError } from '../../vocabulary/errors.ts';
import { differences, firstDifference, type Leaves, leavesOf, timings } from './compared-workflows.ts';

interface DiffScope {
  workflows: Pick<Workflows, 'get' | 'history'>;
  nodes: Pick<Nodes, 'find'>;
  catalogs: Pick<Collection<StoredCatalog>, 'pick' | 'find'>;
}

const LINES_PER_PAGE = 1_000;
const LINES_READ = 10_000;
/** References to catalogs, the newest first: ten of each source are kept. */
const REFERENCES = 500;
const FIRMWARE = /firmware|bios.{0,200}version|^dmi\.BIOS Information\./i;

export class WorkflowDiffRequests implements WorkflowDiffs {
  readonly #scope: DiffScope;

  constructor(scope: DiffScope) {
    this.#scope = scope;
  }

  async diff(first: string, second: string): Promise<WorkflowDiffRecord> {
    const [a, b] = await Promise.all([this.#workflow(first), this.#workflow(second)]);
    if (a.graphName !== b.graphName)
      throw invalidInput('b', `is a workflow of ${b.graphName}; expected one of ${a.graphName}, as the other`);
    const [aHistory, bHistory, aNode, bNode, [aCatalogs, bCatalogs]] = await Promise.all([
      this.#history(a),
      this.#history(b),
      this.#nodeLeaves(a),
      this.#nodeLeaves(b),
      this.#catalogLeaves(a, b),
    ]);
    const catalogs = differences(aCatalogs, bCatalogs);
    const hashes = { a: a.definitionHash, b: b.definitionHash };
    return {
      first: firstDifference({ ...a, history: aHistory }, { ...b, history: bHistory }),
      definition: hashes.a === hashes.b ? null : hashes,
      options: differences(optionLeaves(a), optionLeaves(b)),
      node: differences(aNode, bNode),
      catalogs,
      firmware: catalogs.filter(({ path }) => FIRMWARE.test(path)),
      timings: timings(a, b),
    };
  }

  async #workflow(id: string): Promise<WorkflowRow> {
    const row = await this.#scope.workflows.get(id);
    if (row === undefined) throw new NodewrightError('NOT_FOUND', `Could not find workflow ${id}`);
    return row;
  }

  /** The oldest lines; a graph may loop. */
  async #history({ id }: WorkflowRow): Promise<HistoryEntry[]> {
    const lines: HistoryEntry[] = [];
    while (lines.length < LINES_READ) {
      const page = { skip: lines.length, limit: LINES_PER_PAGE, filter: {} };
      const { items } = await this.#scope.workflows.history(id, page);
      lines.push(...items);
      if (items.length < LINES_PER_PAGE) break;
    }
    return lines;
  }

  async #nodeLeaves({ node }: WorkflowRow): Promise<Leaves> {
    if (node === null) return new Map();
    const record = await this.#scope.nodes.find(node);
    const { type, name, sku, tags = [], relations = [], config } = record ?? {};
    const places = relations.map(({ relationType, targets }) => [relationType, targets.join(',')]);
    const fields = { id: node, type, name, sku, tags: [...tags].sort().join(','), ...Object.fromEntries(places) };
    return new Map([...leavesOf(fields, 'node'), ...leavesOf(redact([], config), 'node.config')]);
  }

  /** One catalog that both have is not read. */
  async #catalogLeaves(a: WorkflowRow, b: WorkflowRow): Promise<[Leaves, Leaves]> {
    const [ofA, ofB] = await Promise.all([this.#catalogIds(a), this.#catalogIds(b)]);
    const read = async (ids: readonly string[], others: readonly string[]) => {
      const catalogs = await byIds(
        this.#scope.catalogs,
        ids.filter((id) => !others.includes(id)),
      );
      return new Map(catalogs.flatMap(({ source, data }) => leavesOf(redact([], data), source)));
    };
    return [await read(ofA, ofB), await read(ofB, ofA)];
  }

  /** The catalog of each source that was the latest when the workflow ended, or is now. */
  async #catalogIds({ node, finishedAt }: WorkflowRow): Promise<string[]> {
    if (node === null) return [];
    const filter = { $and: [{ node }, { createdAt: { $lte: finishedAt ?? new Date(now()).toISOString() } }] };
    const page = { sort: { createdAt: -1 as const }, limit: REFERENCES };
    const references = await this.#scope.catalogs.pick(['source', 'createdAt'], filter, page);
    const newest = new Map<string, string>();
    for (const { id, source } of references) if (!newest.has(source)) newest.set(source, id);
    return [...newest.values()];
  }
}

const optionLeaves = ({ options }: WorkflowRow): Leaves => new Map(leavesOf(options, 'options'));
