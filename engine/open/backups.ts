/** Makes, verifies and restores backups, for commands. A backup may be made while daemons run. */
import { readFileSync } from 'node:fs';
import { applyEmbedded } from '../backup/apply-embedded.ts';
import type { Manifest } from '../backup/backup-format.ts';
import { type BackupSummary, verifyArchive } from '../backup/verified.ts';
import { makeFile } from '../backup/work-folder.ts';
import type { Config } from '../config/config.ts';
import { packagePath } from '../define/package-path.ts';

// Adapters are imported on demand, so that a command with one does not load the other.

/** @throws NodewrightError BACKUP_EXISTS, BACKUP_FAILED, DATA_DIR_LOCKED, UNAVAILABLE */
export function createBackup(config: Config, file: string): Promise<Manifest> {
  return makeFile(file, async (work) => {
    if (isEmbedded(config)) {
      return (await import('../backup/take-embedded.ts')).takeEmbedded(config.dataDir, packageVersion(), work);
    }
    return (await import('../backup/take-services.ts')).takeServices(config, packageVersion(), work);
  });
}

/** @throws NodewrightError BACKUP_INVALID, BACKUP_NEWER */
export const verifyBackup = (file: string): Promise<BackupSummary> => verifyArchive(file);

/**
 * @param replace what is there is removed, after the backup was verified
 * @throws NodewrightError BACKUP_INVALID, BACKUP_NEWER, DATA_DIR_LOCKED, RESTORE_RUNNING, RESTORE_NOT_EMPTY
 */
export async function restoreBackup(config: Config, file: string, replace: boolean): Promise<BackupSummary> {
  const summary = await verifyArchive(file);
  if (isEmbedded(config)) await applyEmbedded(config.dataDir, file, replace);
  else await (await import('../backup/apply-services.ts')).applyServices(config, file, replace);
  return summary;
}

const packageVersion = (): string => {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string };
  return version;
};

const isEmbedded = ({ mongodb, redis }: Config): boolean => mongodb === undefined && redis === undefined;
