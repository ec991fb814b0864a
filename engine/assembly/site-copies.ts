/** Opens a copy of a site, for a rehearsal without a daemon. */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, readConfig } from '../platform/config/config.ts';
import { NodewrightError } from '../vocabulary/errors.ts';
import { copyStore, isEmbedded, restoreBackup } from './backups.ts';
import { createEngine, type RunningEngine } from './engine.ts';

export { ENOUGH_RUNS } from '../workflows/diagnosis/durations.ts';
export { rehearse } from '../workflows/rehearsal/rehearse.ts';
export { type RehearsedSite, rehearsedSite } from '../workflows/rehearsal/rehearsed-site.ts';

/** Where the nodes of a site come from: a backup, the store of the configuration, or nowhere. */
export type SiteSource = { backup: string } | 'store' | 'empty';

/**
 * Asks an engine that does no work, on a copy of the site in a folder of its own, which is removed afterwards, or when the process ends.
 * @param config of the site: where its graphs, its tasks and its store are
 * @throws NodewrightError BACKUP_INVALID, BACKUP_NEWER; CONFIG_INVALID for a store that only a connection reaches
 */
export async function withSite<T>(
  config: Config,
  source: SiteSource,
  ask: (engine: RunningEngine) => Promise<T>,
): Promise<T> {
  const { graphs, tasks } = config;
  const dataDir = await mkdtemp(join(tmpdir(), 'nodewright-rehearsal-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const copy = readConfig({}, dataDir, { dataDir: join(dataDir, 'site'), graphs: [...graphs], tasks: [...tasks] });
    const backup = await backupOf(config, source, join(dataDir, 'site.tar'));
    if (backup !== undefined) await restoreBackup(copy, backup, true);
    const engine = await createEngine(copy, pino({ level: 'silent' }));
    try {
      await engine.load();
      return await ask(engine);
    } finally {
      await engine.close();
    }
  } finally {
    process.off('exit', remove);
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function backupOf(config: Config, source: SiteSource, file: string): Promise<string | undefined> {
  if (source === 'empty') return undefined;
  if (source !== 'store') return source.backup;
  if (!isEmbedded(config))
    throw new NodewrightError(
      'CONFIG_INVALID',
      'the store of the configuration is on a server; expected --from with a backup, because a rehearsal opens no connection',
    );
  await copyStore(config, file);
  return file;
}
