/** When the disk and the last backup need a person. */
import { DAY_MS } from '../../../../engine/vocabulary/units.ts';
import type { ShownSummary } from '../../data/read-summary.ts';

const BACKUP_DAYS = 7;
/** Percent of the disk. */
const [LITTLE, VERY_LITTLE] = [20, 10];

export interface ServiceState {
  disk: 'ok' | 'warning' | 'critical';
  freePercent: number;
  hasOldBackup: boolean;
}

export function stateOfService({ disk, backup: { lastAt } }: Pick<ShownSummary, 'disk' | 'backup'>): ServiceState {
  const freePercent = Math.round((100 * disk.freeBytes) / disk.totalBytes);
  return {
    disk: freePercent < VERY_LITTLE ? 'critical' : freePercent < LITTLE ? 'warning' : 'ok',
    freePercent,
    hasOldBackup: lastAt === null || Date.now() - Date.parse(lastAt) > BACKUP_DAYS * DAY_MS,
  };
}
