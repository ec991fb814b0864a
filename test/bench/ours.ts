/** The engine in this process, in its own folder, with nodes and graphs of several no-op tasks in sequence. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { createEngine, readConfig } from '../../engine/index.ts';
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import { Watch } from './watch.ts';

/** Graphs for measuring, by the number of their tasks. */
export const chainOf = (tasks: number): string => `Graph.Bench.Chain${tasks}`;
const CHAINS = [1, 5];
const shipped = fileURLToPath(new URL('../../graphs', import.meta.url));

export type Ours = Awaited<ReturnType<typeof openOurs>>;

/** @param services the URLs of its services; none: the embedded default */
export async function openOurs(folder: string, nodeCount: number, services: ConfigFile = {}) {
  const graphs = [shipped, chainFolder(folder)];
  const config = readConfig({}, folder, { dataDir: join(folder, 'data'), graphs, ...services });
  const engine = await createEngine(config, pino({ level: 'warn' }));
  await engine.start();
  const watch = new Watch(engine);
  const nodes: string[] = [];
  while (nodes.length < nodeCount) nodes.push((await engine.nodes.create({ type: 'compute', name: 'n' })).id);
  return {
    engine,
    watch,
    nodes,
    /** Returns the time when it succeeded. */
    async run(name: string, nodeId: string): Promise<number> {
      const { id } = await engine.launches.launch({ name, options: {}, nodeId });
      return watch.succeeded(id);
    },
    close: () => engine.close(),
  };
}

/** Writes the graphs as list-of-tasks files and returns their folder. */
export function chainFolder(folder: string): string {
  const path = join(folder, 'graphs');
  mkdirSync(path, { recursive: true });
  for (const tasks of CHAINS) writeFileSync(join(path, `chain-${tasks}.json`), JSON.stringify(chain(tasks)));
  return path;
}

export function chain(tasks: number) {
  const labels = Array.from({ length: tasks }, (_, at) => `step-${at + 1}`);
  return {
    injectableName: chainOf(tasks),
    friendlyName: `${tasks} in a row`,
    tasks: labels.map((label, at) => ({
      label,
      taskName: 'Task.noop',
      ...(at > 0 && { waitOn: { [labels[at - 1] as string]: 'succeeded' } }),
    })),
  };
}
