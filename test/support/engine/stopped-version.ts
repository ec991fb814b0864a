/** A version of a graph that stopped the daemon, as the next start finds it. */
import { join } from 'node:path';
import { Marker } from '../../../engine/durable/watchdog/marker.ts';
import type { TestEngine } from './engine.ts';

/** The name of the graph that `openStoppedVersion` puts. */
export const STOPPED = 'Graph.Test.Stopped';

const stoppedGraph = {
  friendlyName: 'Stopped a daemon',
  injectableName: STOPPED,
  tasks: [{ label: 'wait', taskName: 'Task.Wait.Notification', optionOverrides: { _taskTimeout: 60_000 } }],
};

export const currentHash = async ({ engine }: TestEngine, name: string): Promise<string> =>
  (await engine.graphVersions.list(name)).find(({ isCurrent }) => isCurrent)?.hash ?? '';

/** Opens the engine again, after the code of the current version called `process.exit`. */
export async function stopBy(it: TestEngine, workflow: string, name: string, author: string): Promise<void> {
  const version = await currentHash(it, name);
  await it.engine.close();
  const marker = new Marker(join(it.dataDir, 'running'), () => {});
  marker.begin({ workflow, graph: name, cause: 'work.done', version, author });
  marker.markExit();
  marker.close();
  await it.open();
}

/** The same for a launch that left no workflow. */
export async function openStoppedVersion(it: TestEngine): Promise<TestEngine> {
  await it.engine.library.putGraph(stoppedGraph, 'eve');
  await stopBy(it, 'no-such-workflow', STOPPED, 'eve');
  return it;
}
