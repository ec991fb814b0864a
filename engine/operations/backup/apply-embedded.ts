/**
 * Restores a backup into a data directory. The database is built beside the former one, which is replaced when all of it is
 * on the disk: a restore that fails, or is killed, before that has changed nothing.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keepKeys } from '../../platform/secrets/secrets.ts';
import { hasDatabase, makeDataDir, replaceDatabase } from '../../platform/store/data-dir.ts';
import { lockDataDir } from '../../platform/store/lock.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { readArchive } from './archive-reader.ts';
import { backedUp } from './backup-collections.ts';
import { insertChunk } from './insert-chunk.ts';
import type { OpenDatabase } from './services.ts';

/** @throws NodewrightError DATA_DIR_LOCKED, RESTORE_NOT_EMPTY, BACKUP_INVALID, UNAVAILABLE when the disk is full */
export async function applyEmbedded(
  dataDir: string,
  file: string,
  replace: boolean,
  open: OpenDatabase,
): Promise<void> {
  const lock = lockDataDir(makeDataDir(dataDir));
  const beside = join(dataDir, 'restore');
  try {
    if (!replace && hasDatabase(dataDir)) {
      const message = `${dataDir} has a database, which would be replaced; set another dataDir, or add --replace`;
      throw new NodewrightError('RESTORE_NOT_EMPTY', message);
    }
    rmSync(beside, { recursive: true, force: true });
    mkdirSync(join(beside, 'secrets'), { recursive: true, mode: 0o700 });
    await build(beside, file, open);
    replaceDatabase(dataDir, beside);
  } finally {
    rmSync(beside, { recursive: true, force: true });
    lock.release();
  }
}

async function build(folder: string, file: string, open: OpenDatabase): Promise<void> {
  const store = await open(folder);
  try {
    // Also those without documents: the file exists then.
    for (const spec of backedUp) await store.collection(spec);
    for await (const content of readArchive(file)) {
      if (content.kind === 'secret') keepKeys(folder, content.name, content.ring as [string, ...string[]]);
      if (content.kind === 'chunk') await insertChunk(store, content);
    }
  } finally {
    await store.close();
  }
}
