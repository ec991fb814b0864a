/** The definitions and packs in a checkout of RackHD: on-tasks, on-taskgraph, on-skupack, or a folder like them. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { isObject, type JsonObject } from '../../../engine/vocabulary/json.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { exportsOf } from './sandboxed-module.ts';

export interface FoundDefinition {
  kind: 'base' | 'task' | 'graph';
  /** Below the checkout. */
  file: string;
  name: string;
  json: JsonObject;
  /** Why it cannot be read. */
  problem?: string;
}

const places = [
  ['base', 'lib/task-data/base-tasks'],
  ['task', 'lib/task-data/tasks'],
  ['graph', 'lib/graphs'],
] as const;

const FILES = 5_000;

/** Returns the definitions: base tasks, tasks, graphs. */
export async function definitionsIn(folder: string): Promise<FoundDefinition[]> {
  const definitions: FoundDefinition[] = [];
  for (const [kind, place] of places) {
    const at = join(folder, place);
    if (!existsSync(at)) continue;
    const entries = await readdir(at, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && ['.js', '.json'].includes(extname(entry.name)));
    for (const path of files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .slice(0, FILES)) {
      definitions.push(await definitionIn(kind, path, relative(folder, path)));
    }
  }
  return definitions;
}

async function definitionIn(kind: FoundDefinition['kind'], path: string, file: string): Promise<FoundDefinition> {
  try {
    const text = await readFile(path, 'utf8');
    const json = extname(path) === '.json' ? JSON.parse(text) : await exportsOf(text);
    if (!isObject(json)) throw new Error('it is not an object');
    return { kind, file, name: String(json.injectableName ?? file), json };
  } catch (error) {
    return { kind, file, name: file, json: {}, problem: messageOf(error) };
  }
}

/** Returns the folders of packs: the folder itself, or those in it. */
export async function packsIn(folder: string): Promise<string[]> {
  if (existsSync(join(folder, 'config.json')) && !existsSync(join(folder, 'lib'))) return [folder];
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  return folders.filter((one) => existsSync(join(one, 'config.json'))).sort();
}
