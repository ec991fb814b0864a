/** A definition that was read but not validated, and its compilation with the current tasks. */
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { isIndexable } from '../../platform/store/columns.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { Loader } from '../bundling/loader.ts';
import { graphOfJson } from '../forms/graph-of-json.ts';
import { taskOfJson } from '../forms/json-task.ts';
import { graphOfList } from '../forms/list-of-tasks.ts';
import { loadedTask } from '../forms/loaded-task.ts';
import { graphOf } from '../forms/machine.ts';
import { isMachineJson, namedMachine } from '../forms/machine-json.ts';
import { Rejection, shownJson } from '../options/rejection.ts';
import { checkDepth } from '../options/templates.ts';
import type { Graph, Source, Task, TaskLookup } from '../types.ts';
import { skuDefinitionName } from './sku-definitions.ts';

type Body = { kind: 'module'; text: string; hash: string; exported: unknown } | { kind: 'json'; json: unknown };

export interface Draft {
  what: 'graph' | 'task';
  body: Body;
  source: Source;
  /** The name by the path of its file, for a graph without one of its own. */
  byPath?: string | undefined;
}

/** A compiled definition and the library's tasks that it uses, as name to hash. */
export interface CompiledDefinition<T> {
  made: T;
  uses: ReadonlyMap<string, string>;
}

/** The tasks of the library: code tasks, and all including those put as JSON. */
export interface TaskTables {
  code: ReadonlyMap<string, Task>;
  all: ReadonlyMap<string, Task>;
}

/**
 * @param byPath the name by the path of the file
 * @returns the draft, and the files that it is built from
 * @throws Rejection
 */
export async function read(
  file: string,
  what: Draft['what'],
  loader: Loader,
  byPath?: string,
): Promise<{ draft: Draft; inputs: string[] }> {
  const source: Source = { kind: 'file', file };
  if (file.endsWith('.json')) {
    const json = await readJson(file);
    const body: Body = { kind: 'json', json: what === 'graph' ? namedMachine(json, byPath) : json };
    return { draft: { what, body, source }, inputs: [file] };
  }
  if (!/\.m?[jt]s$/.test(file))
    throw new Rejection(
      `the extension ${extname(file)} of ${file}`,
      `.ts, .mts, .js, .mjs or .json; a file that others import is named _${basename(file)}`,
    );
  const { bundled, exported } = await loader.file(file);
  const { text, hash, inputs } = bundled;
  return { draft: { what, body: { kind: 'module', text, hash, exported }, source, byPath }, inputs };
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  try {
    const json: unknown = JSON.parse(text);
    checkDepth(json);
    return json;
  } catch (error) {
    const wrong: ParseError[] = [];
    parse(text, wrong, { disallowComments: true });
    const line = wrong[0] === undefined ? '' : `:${text.slice(0, wrong[0].offset).split('\n').length}`;
    throw new Rejection(`the error '${messageOf(error)}' at ${file}${line}`, 'JSON');
  }
}

// Recompiling every graph on each change would block the thread; the hashes of the used tasks show whether it is needed.
const tasksMade = new WeakMap<Draft, CompiledDefinition<Task>>();
const graphsMade = new WeakMap<Draft, CompiledDefinition<Graph>>();

/** @throws Rejection */
export function compileTask(draft: Draft, tables: TaskTables): CompiledDefinition<Task> {
  const { body, source } = draft;
  return again(tasksMade, draft, tables.code, (code) =>
    body.kind === 'module'
      ? registeredOnce(loadedTask(body.exported, body.hash, source))
      : taskOfJson(body.json, code, source),
  );
}

/** @throws Rejection */
export function compileGraph(draft: Draft, tables: TaskTables): CompiledDefinition<Graph> {
  const { body, source, byPath } = draft;
  return again(graphsMade, draft, tables.all, (any, noting) => {
    if (body.kind === 'module') return registeredOnce(graphOf(body.exported, body.hash, any, source, byPath));
    if (isMachineJson(body.json)) return graphOfJson(body.json, any, source);
    return graphOfList(body.json, { any, code: noting(tables.code) }, source);
  });
}

/** Code of a pack has its plain name; for JSON, the name was changed when it was read. */
function registeredOnce<T extends Task | Graph>(definition: T): T {
  if (definition.source.kind !== 'pack') return definition;
  const name = skuDefinitionName(definition.name, definition.source.sku);
  return { ...definition, name, definition: { ...definition.definition, injectableName: name } };
}

/** Each workflow has them in its record. A version whose record could not be stored would end the daemon at each start. */
function checkNames({ name, friendlyName }: Task | Graph): void {
  for (const [place, value] of Object.entries({ injectableName: name, friendlyName })) {
    if (value === undefined || isIndexable(value)) continue;
    throw new Rejection(
      `${place} ${shownJson(value)}`,
      'a text of at most 2,000 bytes, of whole characters without NUL',
      {
        place,
      },
    );
  }
}

/** An author's code, and XState, throw errors of any kind. */
function withExplanation<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof NodewrightError) throw error;
    throw new Rejection(`'${messageOf(error)}' thrown while it was compiled`, 'a definition that compiles', {
      cause: error,
    });
  }
}

type Noting = (table: ReadonlyMap<string, Task>) => TaskLookup;

function again<T extends Task | Graph>(
  cache: WeakMap<Draft, CompiledDefinition<T>>,
  draft: Draft,
  table: ReadonlyMap<string, Task>,
  make: (lookup: TaskLookup, noting: Noting) => T,
): CompiledDefinition<T> {
  const before = cache.get(draft);
  const same = before !== undefined && [...before.uses].every(([name, hash]) => table.get(name)?.hash === hash);
  if (same) return before;
  const uses = new Map<string, string>();
  const noting: Noting = (tasks) => {
    const lookup = (name: string) => {
      const task = tasks.get(name);
      if (task !== undefined) uses.set(name, task.hash);
      return task;
    };
    return Object.assign(lookup, { names: () => tasks.keys() });
  };
  const definition = withExplanation(() => make(noting(table), noting));
  checkNames(definition);
  const compiled = { made: definition, uses };
  cache.set(draft, compiled);
  return compiled;
}
