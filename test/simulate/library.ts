/**
 * The definitions that all simulated daemons share, loaded once, in real time: also on a machine that has no time for it, because
 * a seed must not depend on that. Nothing of the load is at work when it is over.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type OpenDefinitions, openDefinitions } from '../../engine/assembly/definitions.ts';
import type { Foundation } from '../../engine/assembly/foundation.ts';
import { LateLinks } from '../../engine/assembly/late-calls.ts';
import { endBundling } from '../../engine/library/bundling/bundle.ts';
import { readConfig } from '../../engine/platform/config/config.ts';
import { localChannels } from '../../engine/platform/queue/channel.ts';
import { Vault } from '../../engine/platform/secrets/vault.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { DAY_MS } from '../../engine/vocabulary/units.ts';
import { MemoryStore } from '../support/engine/memory-store.ts';
import { graphs } from './kinds.ts';

/**
 * The included tasks that the graphs use. To load the others, and the included graphs, takes longer than most simulations.
 */
const usedTasks = ['graph-run.ts', 'sleep.ts', 'wait-notification.ts'];

export async function loadLibrary(): Promise<{ definitions: OpenDefinitions; dataDir: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nodewright-simulate-'));
  const folder = join(dataDir, 'graphs');
  const included = join(dataDir, 'tasks');
  for (const one of [folder, included]) mkdirSync(one);
  for (const name of usedTasks)
    writeFileSync(join(included, name), `export { default } from '${packagePath(`tasks/${name}`)}';`);
  for (const [n, graph] of graphs.entries()) writeFileSync(join(folder, `simulated-${n}.json`), JSON.stringify(graph));
  const tasks = [included, packagePath('test/simulate/library/tasks')];
  const config = readConfig({}, dataDir, {
    dataDir,
    tasks,
    graphs: [folder],
    log: { level: 'silent' },
  });
  const channels = localChannels(() => {});
  const foundation = {
    config,
    log: pino({ level: 'silent' }),
    store: new MemoryStore(),
    queues: { channel: (name: string) => channels.channel(name) },
    vault: new Vault(['0'.repeat(43)]),
    starting: { definitions: async () => {} },
    failedIn: () => () => {},
  } as unknown as Foundation;
  const definitions = await openDefinitions(foundation, new LateLinks(), DAY_MS);
  await definitions.library.load();
  const [error] = definitions.library.errors();
  if (error !== undefined) throw new Error(`a simulated definition cannot be used: ${error.message}`);
  // A file that changes during a simulation must not change the library.
  await definitions.library.close();
  await endBundling();
  return { definitions, dataDir };
}
