/** A restore that was interrupted: no daemon starts on a part of a backup, and the restore can be repeated. */
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { applyEmbedded } from '../../../../engine/operations/backup/apply-embedded.ts';
import { ArchiveWriter } from '../../../../engine/operations/backup/archive-writer.ts';
import { FORMAT, type Manifest } from '../../../../engine/operations/backup/backup-format.ts';
import {
  markRestore,
  rejectUnfinished,
  unmarkRestore,
} from '../../../../engine/operations/backup/unfinished-restore.ts';
import { makeFile } from '../../../../engine/operations/backup/work-folder.ts';
import { openEmbeddedStore } from '../../../../engine/platform/store/embedded.ts';
import { SCHEMA_VERSION } from '../../../../engine/platform/store/schema-version.ts';
import { folder } from '../../../support/ava/folder.ts';
import { openOwnStore } from '../../../support/engine/stores.ts';

const createdAt = '2026-01-02T03:04:05.678Z';
const manifest: Manifest = { format: FORMAT, schema: SCHEMA_VERSION, nodewright: '1.2.3', createdAt, from: 'embedded' };

async function write(part: string): Promise<void> {
  const writer = new ArchiveWriter(part, manifest);
  await writer.begin(manifest);
  await writer.secret('values', ['k'.repeat(43)]);
  await writer.end();
}

const open = (dataDir: string) => openEmbeddedStore({ dataDir });

test('a data directory in the middle of a restore is rejected, until the restore is repeated', async (t) => {
  const home = folder(t);
  const [file, dataDir] = [join(home, 'backup.tgz'), join(home, 'data')];
  await makeFile(file, ({ part }) => write(part));
  await applyEmbedded(dataDir, file, false, open);
  writeFileSync(join(dataDir, 'restoring'), '');
  await t.throwsAsync(openEmbeddedStore({ dataDir }), { code: 'RESTORE_UNFINISHED', message: /restore --replace/ });
  await t.throwsAsync(applyEmbedded(dataDir, file, false, open), { code: 'RESTORE_NOT_EMPTY' });
  rmSync(join(dataDir, 'database.sqlite'));
  await applyEmbedded(dataDir, file, true, open);
  t.false(existsSync(join(dataDir, 'restoring')));
  await (await openEmbeddedStore({ dataDir })).close();
});

test('what a killed restore left beside the database is ignored, and removed by the next one', async (t) => {
  const home = folder(t);
  const [file, dataDir] = [join(home, 'backup.tgz'), join(home, 'data')];
  await makeFile(file, ({ part }) => write(part));
  await applyEmbedded(dataDir, file, false, open);
  cpSync(join(dataDir, 'database.sqlite'), join(dataDir, 'restore', 'database.sqlite'));
  await (await openEmbeddedStore({ dataDir })).close();
  await applyEmbedded(dataDir, file, true, open);
  t.false(existsSync(join(dataDir, 'restore')));
});

test('documents with the mark of a restore are rejected', async (t) => {
  const store = await openOwnStore(t);
  await rejectUnfinished(store);
  await markRestore(store);
  await markRestore(store);
  await t.throwsAsync(rejectUnfinished(store), { code: 'RESTORE_UNFINISHED', message: /restore --replace/ });
  await unmarkRestore(store);
  await rejectUnfinished(store);
});

test('a backup replaces no file, also one that came in the meantime, and removes what a killed one left', async (t) => {
  const file = join(folder(t), 'backup.tgz');
  const work = `${file}.work`;
  await makeFile(file, ({ part }) => write(part));
  await t.throwsAsync(
    makeFile(file, ({ part }) => write(part)),
    { code: 'BACKUP_EXISTS' },
  );
  rmSync(file);
  const later = makeFile(file, async ({ part, folder: empty }) => {
    await write(part);
    await t.throwsAsync(
      makeFile(file, ({ part: other }) => write(other)),
      { code: 'DATA_DIR_LOCKED' },
    );
    t.true(existsSync(empty));
    writeFileSync(file, 'of another');
  });
  await t.throwsAsync(later, { code: 'BACKUP_EXISTS' });
  t.false(existsSync(work));
  await t.throwsAsync(
    makeFile(`${file}.2`, async () => {
      throw new Error('no space');
    }),
    { message: 'no space' },
  );
  t.false(existsSync(`${file}.2`) || existsSync(`${file}.2.work`));
});
