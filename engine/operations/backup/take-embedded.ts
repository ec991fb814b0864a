/** Makes a backup of the embedded database: of a copy of its file, which the daemon continues to use. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type KeyName, keyPurposes } from '../../platform/secrets/key-ring.ts';
import { storedKeys } from '../../platform/secrets/secrets.ts';
import { copyDatabase } from '../../platform/store/copy-database.ts';
import { databaseFile } from '../../platform/store/data-dir.ts';
import { lowerToDocuments, SCHEMA_VERSION } from '../../platform/store/schema-version.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { backedUp } from './backup-collections.ts';
import { FORMAT, type Manifest } from './backup-format.ts';
import type { OpenDatabase } from './services.ts';
import { jsonLines, sizedPages } from './sized-pages.ts';
import type { WorkFolder } from './work-folder.ts';

export async function takeEmbedded(
  dataDir: string,
  version: string,
  { part, folder }: WorkFolder,
  open: OpenDatabase,
): Promise<Manifest> {
  if (!existsSync(databaseFile(dataDir))) {
    throw new NodewrightError('BACKUP_FAILED', `dataDir ${dataDir} has no database; correct NODEWRIGHT_CONFIG`);
  }
  await copyDatabase(dataDir, folder);
  const createdAt = new Date().toISOString();
  const manifest: Manifest = {
    format: FORMAT,
    schema: SCHEMA_VERSION,
    nodewright: version,
    createdAt,
    from: 'embedded',
  };
  const store = await open(folder);
  const writer = new ArchiveWriter(part, manifest);
  try {
    await writer.begin(manifest);
    for (const name of Object.keys(keyPurposes) as KeyName[]) {
      if (existsSync(join(dataDir, 'secrets', name))) await writer.secret(name, storedKeys(dataDir, name));
    }
    await lowerToDocuments(store);
    for (const spec of backedUp) {
      const collection = await store.collection(spec);
      for await (const page of sizedPages(collection)) await writer.chunk(spec.name, jsonLines(page));
    }
    await writer.end();
  } catch (error) {
    await writer.abandon();
    throw error;
  } finally {
    await store.close();
  }
  return manifest;
}
