/** Makes, verifies and restores backups, for commands. A backup may be made while daemons run. */
import { readFileSync } from 'node:fs';
import { applyEmbedded } from '../operations/backup/apply-embedded.ts';
import { applyServices } from '../operations/backup/apply-services.ts';
import { type BackupSummary, verifyArchive } from '../operations/backup/archive-check.ts';
import type { Manifest } from '../operations/backup/backup-format.ts';
import { recordBackup } from '../operations/backup/last-backup.ts';
import type { OpenServices } from '../operations/backup/services.ts';
import { takeEmbedded } from '../operations/backup/take-embedded.ts';
import { takeServices } from '../operations/backup/take-services.ts';
import { makeFile } from '../operations/backup/work-folder.ts';
import type { Config } from '../platform/config/config.ts';
import { packagePath } from '../vocabulary/package-path.ts';
import { openServicesAlone, openStoreAlone } from './adapters.ts';

/** @throws NodewrightError BACKUP_EXISTS, BACKUP_FAILED, DATA_DIR_LOCKED, UNAVAILABLE */
export async function createBackup(config: Config, file: string): Promise<Manifest> {
  const manifest = await copyStore(config, file);
  // Only a reminder: with services, this machine may have no data directory, or one of another user.
  await recordBackup(config.dataDir, manifest.createdAt).catch(() => {});
  return manifest;
}

/** A backup that nothing records as one. @throws NodewrightError as `createBackup` */
export function copyStore(config: Config, file: string): Promise<Manifest> {
  const version = packageVersion();
  return makeFile(file, (work) => {
    if (isEmbedded(config)) return takeEmbedded(config.dataDir, version, work, openDatabase);
    return withServices(config, (services) => takeServices(services, version, work));
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
  if (isEmbedded(config)) await applyEmbedded(config.dataDir, file, replace, openDatabase);
  else await withServices(config, (services) => applyServices(services, file, replace));
  return summary;
}

const openDatabase = (dataDir: string) => openStoreAlone({ dataDir, mongodb: undefined });

async function withServices<T>(config: Config, use: (services: OpenServices) => Promise<T>): Promise<T> {
  const services = await openServicesAlone(config);
  try {
    return await use(services);
  } finally {
    await services.close();
  }
}

const packageVersion = (): string => {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string };
  return version;
};

export const isEmbedded = ({ mongodb, redis }: Config): boolean => mongodb === undefined && redis === undefined;
