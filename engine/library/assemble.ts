/**
 * From all sources to the tables that the library serves; pure.
 *
 * 1. A name belongs to the source that claimed it first; a second one is refused.
 * 2. A source whose newest version is refused goes on with its last good one, if that still compiles.
 * 3. One bad source never keeps another from being served.
 * 4. Graphs of a pack find the pack's tasks first, under the names that these stand for.
 */

import { type Version, versionOf } from './archive.ts';
import { type Candidate, compileGraph, compileTask, type TaskTables } from './candidate.ts';
import { nameBehind } from './packed.ts';
import { Refusal } from './refusal.ts';
import type { DefinitionError, Graph, Task } from './types.ts';
import { addVariants, type Unfit } from './variants.ts';

/** A file, a definition put through the API, or one of a pack. */
export interface Entry {
  /** The file, or the name. */
  at: string;
  /** Whose pack brings it. */
  sku?: string;
  what: Candidate['what'];
  newest?: Candidate;
  good?: Candidate;
  /** Why the file could not even be read. */
  unread?: Refusal;
  /** Files that it is made of. */
  inputs: readonly string[];
  /** Its error as told last, which knows when it was first seen. */
  since?: DefinitionError;
  /** The same with its faults. */
  refusal?: Refusal;
}

export interface Tables {
  graphs: ReadonlyMap<string, Graph>;
  tasks: ReadonlyMap<string, Task>;
  /** By registered name: graphs as they run on nodes of a SKU whose pack has another version of a task of theirs. */
  variants: ReadonlyMap<string, Graph>;
  /** Those that cannot take that task. */
  unfit: readonly Unfit[];
  errors: readonly DefinitionError[];
  /** To be saved before the tables are served. */
  versions: readonly Version[];
  /** By graph name: the library's tasks that it uses. */
  uses: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The candidate that each entry is served from. */
  served: ReadonlyMap<Entry, Candidate>;
}

export const ERRORS_LIMIT = 1_000;

/** Tasks as graphs on nodes of a SKU find them. */
export interface SkuTables extends TaskTables {
  /** Those of its pack, by the names that they stand for. */
  own: ReadonlyMap<string, Task>;
}

interface Made {
  made: { name: string; hash: string };
  uses: ReadonlyMap<string, string>;
}

/** @param entries in the order of their claims. @param at ISO 8601: the time that new errors and versions get */
export function assemble(entries: readonly Entry[], at: string): Tables {
  const errors: DefinitionError[] = [];
  const versions: Version[] = [];
  const served = new Map<Entry, Candidate>();
  const uses = new Map<string, ReadonlyMap<string, string>>();
  const tables = { code: new Map<string, Task>(), all: new Map<string, Task>() };
  const graphs = new Map<string, Graph>();

  const admit = <T extends Made>(entry: Entry, owners: Map<string, Entry>, compile: (one: Candidate) => T) => {
    const chosen = choose(entry, owners, compile);
    if (chosen.error !== undefined) errors.push(errorOf(entry, chosen.error, at));
    if (chosen.compiled === undefined || chosen.candidate === undefined) return undefined;
    const { made } = chosen.compiled;
    owners.set(made.name, entry);
    served.set(entry, chosen.candidate);
    versions.push(versionOf(chosen.candidate, made.name, made.hash, chosen.compiled.uses, at));
    return chosen.compiled;
  };

  const taskOwners = new Map<string, Entry>();
  const tasks = entries.filter(({ what }) => what === 'task');
  const isCode = ({ newest, good }: Entry) => (newest ?? good)?.body.kind === 'module';
  for (const entry of [...tasks.filter(isCode), ...tasks.filter((one) => !isCode(one))]) {
    const compiled = admit(entry, taskOwners, (one) => compileTask(one, tables));
    if (compiled === undefined) continue;
    tables.all.set(compiled.made.name, compiled.made);
    if (served.get(entry)?.body.kind === 'module') tables.code.set(compiled.made.name, compiled.made);
  }
  const graphOwners = new Map<string, Entry>();
  const onSkus = tablesBySku(tables, tasks);
  const common: Candidate[] = [];
  for (const entry of entries.filter(({ what }) => what === 'graph')) {
    const seen = onSkus.get(entry.sku ?? '') ?? tables;
    const compiled = admit(entry, graphOwners, (one) => compileGraph(one, seen));
    if (compiled === undefined) continue;
    graphs.set(compiled.made.name, compiled.made);
    uses.set(compiled.made.name, compiled.uses);
    if (entry.sku === undefined) common.push(served.get(entry) as Candidate);
  }
  const { variants, unfit, ...more } = addVariants({ common, onSkus, graphs, at });
  errors.push(...more.errors);
  versions.push(...more.versions);
  const told = errors.slice(0, ERRORS_LIMIT);
  return { graphs, tasks: tables.all, variants, unfit, errors: told, versions, uses, served };
}

/** Rule 4, by SKU; only of those whose packs have tasks. */
function tablesBySku({ code, all }: TaskTables, entries: readonly Entry[]): Map<string, SkuTables> {
  const skus = new Set(entries.flatMap(({ sku }) => sku ?? []));
  const found = new Map<string, SkuTables>();
  for (const sku of skus) {
    const own = new Map<string, Task>();
    for (const [registered, task] of all) {
      const name = nameBehind(registered, sku);
      if (name !== undefined) own.set(name, task);
    }
    found.set(sku, { code, all: new Map([...all, ...own]), own });
  }
  return found;
}

interface Choice<T> {
  compiled?: T;
  candidate?: Candidate;
  error?: unknown;
}

/** The newest version that compiles under a free name, and why it is not the very newest. */
function choose<T extends Made>(entry: Entry, owners: Map<string, Entry>, compile: (one: Candidate) => T): Choice<T> {
  let error: unknown = entry.unread;
  const candidates = entry.unread === undefined ? [entry.newest, entry.good] : [entry.good];
  for (const candidate of new Set(candidates)) {
    if (candidate === undefined) continue;
    try {
      const compiled = compile(candidate);
      const owner = owners.get(compiled.made.name);
      if (owner === undefined) return { compiled, candidate, error };
      error ??= new Refusal(`${compiled.made.name}, which ${owner.at} already defines`, 'a name of its own');
    } catch (thrown) {
      error ??= thrown;
    }
  }
  return { error };
}

function errorOf(entry: Entry, error: unknown, at: string): DefinitionError {
  const { message } = error as Error;
  const refusal = error instanceof Refusal ? error : undefined;
  const told = { found: refusal?.found ?? message, expected: refusal?.expected ?? 'a definition that compiles' };
  // The same error keeps the time at which it was first seen.
  const since = entry.since?.message === message ? entry.since.at : at;
  entry.refusal = refusal;
  entry.since = { file: entry.at, ...told, message, at: since };
  return entry.since;
}
