/**
 * Compiles all sources into the tables that the library serves; pure.
 *
 * 1. A name belongs to the source that claimed it first; a second claim is rejected. An included definition gives way to
 *    one put through the API, which may implement it.
 * 2. If the newest version of a source is rejected, its last good version stays in use as long as it compiles.
 * 3. An invalid source does not affect other sources.
 * 4. Graphs of a pack use the pack's tasks first, under their plain names.
 */
import { NodewrightError } from '../../vocabulary/errors.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { Rejection } from '../options/rejection.ts';
import type { DefinitionError, Graph, Task } from '../types.ts';
import { type Version, versionOf } from './archive.ts';
import { compileGraph, compileTask, type Draft, type TaskTables } from './draft.ts';
import { nameBehind } from './sku-definitions.ts';
import { addSkuOverrides, type UnfitGraph } from './sku-overrides.ts';

/** A source: a file, a definition put through the API, or one of a pack. */
export interface Entry {
  /** The file, or the name. */
  at: string;
  /** A file that comes with nodewright. */
  included?: true;
  /** The SKU whose pack contains it. */
  sku?: string;
  /** Its file there. */
  inPack?: string;
  what: Draft['what'];
  newest?: Draft;
  good?: Draft;
  /** Why the file could not be read. */
  unread?: Rejection | undefined;
  /** Files that it is built from. */
  inputs: readonly string[];
  /** The last reported error, with the time of its first occurrence. */
  since?: DefinitionError;
  /** The same with its violations. */
  rejection?: Rejection;
}

export interface Tables {
  graphs: ReadonlyMap<string, Graph>;
  tasks: ReadonlyMap<string, Task>;
  /** By registered name: SKU overrides, that is, graphs with a task version from the pack of the node's SKU. */
  skuOverrides: ReadonlyMap<string, Graph>;
  /** Graphs that cannot use the pack's version of a task. */
  unfit: readonly UnfitGraph[];
  errors: readonly DefinitionError[];
  /** To be saved before the tables are served. */
  versions: readonly Version[];
  /** By graph name: the tasks of the library that it uses. */
  uses: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The draft that each entry is served from. */
  served: ReadonlyMap<Entry, Draft>;
}

const ERRORS_LIMIT = 1_000;

/** Tasks as seen by graphs on nodes of a SKU. */
interface SkuTables extends TaskTables {
  /** The tasks of its pack, by plain name. */
  own: ReadonlyMap<string, Task>;
}

interface LinkedDefinition {
  made: { name: string; hash: string };
  uses: ReadonlyMap<string, string>;
}

/** @param given in the order of their claims @param at ISO 8601: the time for new errors and versions */
export function link(given: readonly Entry[], at: string): Tables {
  const entries = [...given.filter(isOfApi), ...given.filter((entry) => !isOfApi(entry))];
  const errors: DefinitionError[] = [];
  const versions: Version[] = [];
  const served = new Map<Entry, Draft>();
  const uses = new Map<string, ReadonlyMap<string, string>>();
  const tables = { code: new Map<string, Task>(), all: new Map<string, Task>() };
  const graphs = new Map<string, Graph>();

  const admit = <T extends LinkedDefinition>(entry: Entry, owners: Map<string, Entry>, compile: (one: Draft) => T) => {
    const chosen = choose(entry, owners, compile);
    if (chosen.error !== undefined) errors.push(errorOf(entry, chosen.error, at, chosen.compiled?.made.name));
    if (chosen.compiled === undefined || chosen.draft === undefined) return undefined;
    const { made } = chosen.compiled;
    owners.set(made.name, entry);
    served.set(entry, chosen.draft);
    versions.push(versionOf(chosen.draft, made.name, made.hash, chosen.compiled.uses, at));
    return chosen.compiled;
  };

  const taskOwners = new Map<string, Entry>();
  const tasks = entries.filter(({ what }) => what === 'task');
  const isCode = ({ newest, good }: Entry) => (newest ?? good)?.body.kind === 'module';
  const claimed = new Set(tasks.filter(isOfApi).map(({ at: name }) => name));
  const givingWay = new Map<string, Entry>();
  for (const entry of [...tasks.filter(isCode), ...tasks.filter((one) => !isCode(one))]) {
    const owners = entry.included && isCode(entry) ? new Map(taskOwners) : taskOwners;
    const compiled = admit(entry, owners, (one) => compileTask(one, tables));
    if (compiled === undefined) continue;
    const { made } = compiled;
    if (served.get(entry)?.body.kind === 'module') tables.code.set(made.name, made);
    if (entry.included && claimed.has(made.name)) givingWay.set(made.name, entry);
    else {
      taskOwners.set(made.name, entry);
      tables.all.set(made.name, made);
    }
  }
  // The one put through the API may have been rejected.
  for (const name of givingWay.keys()) {
    const code = tables.code.get(name);
    if (!tables.all.has(name) && code !== undefined) tables.all.set(name, code);
  }
  const graphOwners = new Map<string, Entry>();
  const onSkus = tablesBySku(tables, tasks);
  const common = new Map<string, Draft>();
  for (const entry of entries.filter(({ what }) => what === 'graph')) {
    const skuTables = onSkus.get(entry.sku ?? '') ?? tables;
    const compiled = admit(entry, graphOwners, (one) => compileGraph(one, skuTables));
    if (compiled === undefined) continue;
    graphs.set(compiled.made.name, compiled.made);
    uses.set(compiled.made.name, compiled.uses);
    if (entry.sku === undefined) common.set(compiled.made.name, served.get(entry) as Draft);
  }
  const { skuOverrides, unfit, ...more } = addSkuOverrides(common, onSkus, graphs, at);
  errors.push(...more.errors);
  versions.push(...more.versions);
  const listed = errors.slice(0, ERRORS_LIMIT);
  return { graphs, tasks: tables.all, skuOverrides, unfit, errors: listed, versions, uses, served };
}

const isOfApi = ({ newest, sku }: Entry): boolean => sku === undefined && newest?.source.kind === 'api';

/** Tables per SKU for rule 4, only for SKUs whose packs have tasks. */
function tablesBySku({ code, all }: TaskTables, entries: readonly Entry[]): Map<string, SkuTables> {
  const skus = new Set(entries.flatMap(({ sku }) => sku ?? []));
  const skuTables = new Map<string, SkuTables>();
  for (const sku of skus) {
    const ownTasks = new Map<string, Task>();
    for (const [registered, task] of all) {
      const name = nameBehind(registered, sku);
      if (name !== undefined) ownTasks.set(name, task);
    }
    skuTables.set(sku, { code, all: new Map([...all, ...ownTasks]), own: ownTasks });
  }
  return skuTables;
}

interface Choice<T> {
  compiled?: T;
  draft?: Draft;
  error?: unknown;
}

/** Returns the newest version that compiles under an unclaimed name, and the error of any newer version. */
function choose<T extends LinkedDefinition>(
  entry: Entry,
  owners: Map<string, Entry>,
  compile: (one: Draft) => T,
): Choice<T> {
  let error: unknown = entry.unread;
  const drafts = entry.unread === undefined ? [entry.newest, entry.good] : [entry.good];
  for (const draft of new Set(drafts)) {
    if (draft === undefined) continue;
    try {
      const compiled = compile(draft);
      const owner = owners.get(compiled.made.name);
      if (owner === undefined) return { compiled, draft, error };
      if (entry.included && isOfApi(owner)) return { error };
      error ??= new Rejection(`${compiled.made.name}, which ${owner.at} already defines`, 'an unused name');
    } catch (thrown) {
      error ??= thrown;
    }
  }
  return { error };
}

/** @param served the name of its last good version; absent: none is served */
function errorOf(entry: Entry, error: unknown, at: string, served?: string): DefinitionError {
  const message = messageOf(error);
  const { violations } = error instanceof NodewrightError ? error : {};
  const rejection =
    error instanceof Rejection
      ? error
      : new Rejection(message, 'a definition that compiles', violations && { violations });
  const { found, expected } = rejection;
  // A repeated error keeps the time of its first occurrence.
  const since = entry.since?.message === message ? entry.since.at : at;
  entry.rejection = rejection;
  entry.since = { file: entry.at, found, expected, message, at: since, served: served ?? null };
  return entry.since;
}
