/** Every graph and task, included ones and fixtures; loaded by path, like the library does. */
import { readdirSync, readFileSync } from 'node:fs';
import { bundle, load } from '../../../engine/library/bundling/bundle.ts';
import { graphOfList } from '../../../engine/library/forms/list-of-tasks.ts';
import { loadedTask } from '../../../engine/library/forms/loaded-task.ts';
import { graphOf } from '../../../engine/library/forms/machine.ts';
import type { Graph, Task } from '../../../engine/library/types.ts';

const root = new URL('../../../', import.meta.url);
const cacheDir = new URL('node_modules/.cache/nodewright/catalogue', root).pathname;

const filesIn = (folder: string): URL[] =>
  readdirSync(new URL(folder, root))
    .filter((name) => /\.(ts|json)$/.test(name) && !name.startsWith('_'))
    .map((name) => new URL(`${folder}${name}`, root));

const source = (file: URL) => ({ kind: 'file', file: file.pathname }) as const;

/** Returns the default export of a definition file. */
export const exportOf = async (file: URL): Promise<unknown> => load(await bundle(file.pathname), cacheDir);

async function task(file: URL): Promise<Task> {
  return loadedTask(await exportOf(file), file.pathname, source(file));
}

export const everyTask: Task[] = await Promise.all([...filesIn('tasks/'), ...filesIn('fixtures/tasks/')].map(task));

const named = (name: string): Task | undefined => everyTask.find((each) => each.name === name);

async function graph(file: URL): Promise<Graph> {
  if (file.pathname.endsWith('.json')) {
    return graphOfList(JSON.parse(readFileSync(file, 'utf8')), { any: named, code: named }, source(file));
  }
  return graphOf(await exportOf(file), file.pathname, named, source(file));
}

export const includedGraphs: Graph[] = await Promise.all(filesIn('graphs/').map(graph));

export const everyGraph: Graph[] = [...includedGraphs, ...(await Promise.all(filesIn('fixtures/graphs/').map(graph)))];
