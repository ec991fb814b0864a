/** Opens the site of a backup for a rehearsal. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, readConfig } from '../platform/config/config.ts';
import { restoreBackup } from './backups.ts';
import { createEngine, type RunningEngine } from './engine.ts';

export { rehearse } from '../fleet/rehearsal/rehearse.ts';

/**
 * Restores a backup into a folder of its own, which is removed afterwards, and asks an engine on it that does no work.
 * @param config of the site: where its graphs and tasks are
 * @throws NodewrightError BACKUP_INVALID, BACKUP_NEWER
 */
export async function withSite<T>(
  { graphs, tasks }: Pick<Config, 'graphs' | 'tasks'>,
  backup: string,
  ask: (engine: RunningEngine) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'nodewright-rehearsal-'));
  try {
    const config = readConfig({}, dataDir, { dataDir, graphs: [...graphs], tasks: [...tasks] });
    await restoreBackup(config, backup, true);
    const engine = await createEngine(config, pino({ level: 'silent' }));
    try {
      await engine.load();
      return await ask(engine);
    } finally {
      await engine.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
