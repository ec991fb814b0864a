/**
 * The findings about a pack, without a daemon: what an upload would reject, with the file of each error; warnings about
 * its graphs; and simulated workflows of its graphs on the recorded nodes that its rules match.
 */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SkuRule } from '../../api-port/skus.ts';
import { includedDefinitions, withLoader } from '../../kit/definition-files.ts';
import { errorsOf, type GraphWarning, warningsOf } from '../../kit/findings.ts';
import { type Recording, readRecording } from '../../kit/recording.ts';
import { simulate } from '../../kit/simulate.ts';
import type { Simulation } from '../../kit/simulation.ts';
import { Rejection } from '../../library/options/rejection.ts';
import type { Graph, Task } from '../../library/types.ts';
import { violationsIn } from '../../library/versions/change.ts';
import { compileGraph, compileTask, type TaskTables } from '../../library/versions/draft.ts';
import type { Entry } from '../../library/versions/link.ts';
import { plainName } from '../../library/versions/sku-definitions.ts';
import { entryOfPack } from '../../library/versions/sources.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import { isActive } from '../../vocabulary/states.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { MIB } from '../../vocabulary/units.ts';
import { checksOf, explain } from '../skus/rules.ts';
import { buildPack } from './build-pack.ts';
import { packRoots, parseConfig, skuIn } from './pack-config.ts';
import { readDefinitions } from './pack-definitions.ts';
import { limitsOf } from './pack-limits.ts';
import { configText } from './pack-store.ts';
import { unpack } from './unpack.ts';

export interface PackCheck {
  /** Also says what is wrong with the SKU that the pack registers. */
  skuViolations?: (sku: object) => Violation[];
  /** Files of `nw record`. */
  recordings?: readonly string[];
  /** Maximum bytes of the archive. */
  packLimit?: number;
  /** ms for each graph. */
  budgetMs?: number;
}

interface PackGraph {
  /** The plain name. */
  name: string;
  file: string;
  warnings: GraphWarning[];
  /** On the recorded nodes that the rules match. */
  simulated: SimulatedRun[];
}

interface SimulatedRun {
  /** The file of the recording. */
  recording: string;
  /** `succeeded`, or why not. */
  result: string;
}

export interface PackFindings {
  ok: boolean;
  /** Name of the SKU that the pack registers; null: the pack is uploaded to an existing SKU. */
  name: string | null;
  version: string | null;
  errors: Violation[];
  graphs: PackGraph[];
  tasks: string[];
  /** Graphs or tasks are code, which a daemon accepts with `packCode: true` only. */
  hasCode: boolean;
}

const PACK_LIMIT = 256 * MIB;
const SKU = 'checked';

/** @param path a folder, or an archive @throws what is not about the pack, as a file that does not exist */
export async function checkPack(path: string, check: PackCheck = {}): Promise<PackFindings> {
  const isFolder = (await stat(path)).isDirectory();
  const folder = await mkdtemp(join(tmpdir(), 'nodewright-pack-'));
  const findings: PackFindings = {
    ok: false,
    name: null,
    version: null,
    errors: [],
    graphs: [],
    tasks: [],
    hasCode: false,
  };
  try {
    await judge(isFolder ? await buildPack(path) : createReadStream(path), folder, findings, check);
  } catch (error) {
    findings.errors.push(...errorsOf(error));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { ...findings, ok: findings.errors.length === 0 };
}

async function judge(archive: AsyncIterable<Uint8Array>, folder: string, findings: PackFindings, check: PackCheck) {
  const { skuViolations = () => [], recordings = [], packLimit = PACK_LIMIT } = check;
  const unpacked = await unpack(archive, folder, limitsOf(packLimit).expanded);
  const config = parseConfig(await configText(folder, unpacked.files.get('config.json')));
  const sku = skuIn(config);
  findings.version = config.version ?? null;
  findings.name = typeof sku.name === 'string' ? sku.name : null;
  // A pack for an existing SKU registers none.
  const isOwn = 'name' in sku || 'rules' in sku;
  const wrong = isOwn ? skuViolations(sku) : [];
  findings.errors.push(...wrong.map(({ path, message }) => ({ path: `config.json#${path}`, message })));
  const roots = packRoots(config, unpacked);
  const definitions = await readDefinitions({ folder, files: unpacked.files, roots, sku: SKU }, true);
  findings.hasCode = definitions.some(({ text }) => text !== undefined);
  const entries = await withLoader((loader) => Promise.all(definitions.map((one) => entryOfPack(one, loader.text))));
  const { graphs, tasks } = await compileEntries(entries, findings);
  findings.tasks = tasks.map(({ name }) => plainName(name));
  const nodes = wrong.length > 0 || !isOwn ? [] : await matching(sku.rules as SkuRule[], recordings);
  const { graphs: included } = await includedDefinitions();
  const packGraphs = new Map(graphs.map(({ graph }) => [plainName(graph.name), graph]));
  for (const { entry, graph } of graphs) {
    const name = plainName(graph.name);
    const { warnings } = warningsOf(graph, {
      graphs: (other) => packGraphs.get(other) ?? included.get(other),
      ...(check.budgetMs !== undefined && { budgetMs: check.budgetMs }),
    });
    const simulated = nodes.map(([recording, node]) => ({ recording, result: resultOf(graph, node) }));
    findings.graphs.push({ name, file: entry.inPack ?? '', warnings, simulated });
  }
}

/** As the library compiles them: tasks first, and graphs with the pack's own tasks under their plain names. */
async function compileEntries(entries: readonly Entry[], findings: PackFindings) {
  const common = (await includedDefinitions()).tasks;
  const codeIn = (tasks: ReadonlyMap<string, Task>) =>
    new Map([...tasks].filter(([, { source }]) => source.kind === 'file'));
  const tables: TaskTables = { code: codeIn(common), all: common };
  const attempt = <T>(entry: Entry, compile: (draft: NonNullable<Entry['newest']>) => T): T | undefined => {
    try {
      if (entry.newest === undefined) throw entry.unread;
      return compile(entry.newest);
    } catch (error) {
      const rejection = error instanceof Rejection ? error : new Rejection(messageOf(error), 'a valid definition');
      findings.errors.push(...violationsIn({ ...entry, rejection }));
      return undefined;
    }
  };
  const tasks = entries
    .filter(({ what }) => what === 'task')
    .flatMap((entry) => attempt(entry, (one) => compileTask(one, tables).made) ?? []);
  const all = new Map([...common, ...tasks.map((task) => [plainName(task.name), task] as const)]);
  const graphs = entries
    .filter(({ what }) => what === 'graph')
    .flatMap((entry) => {
      const graph = attempt(entry, (one) => compileGraph(one, { code: tables.code, all }).made);
      return graph === undefined ? [] : [{ entry, graph }];
    });
  return { graphs, tasks };
}

async function matching(rules: readonly SkuRule[], files: readonly string[]): Promise<[string, Recording][]> {
  const recordings: [string, Recording][] = [];
  for (const file of files) {
    const recording = readRecording(file);
    const { matched } = await explain(checksOf(rules), new Map(Object.entries(recording.catalogs)));
    if (matched) recordings.push([file, recording]);
  }
  return recordings;
}

/** Waits for a notification receive an empty one. */
const NOTIFICATIONS = 100;

function resultOf(graph: Graph, node: Recording): string {
  try {
    const run = simulate(graph, { node });
    for (let n = 0; n < NOTIFICATIONS && isActive(run.status); n += 1) goOn(run);
    return run.error === null ? run.status : `${run.status}: ${run.error.message}`;
  } catch (error) {
    return messageOf(error);
  }
}

function goOn(run: Simulation): void {
  try {
    run.until();
  } catch (error) {
    try {
      run.notify();
    } catch {
      throw error;
    }
  }
}
