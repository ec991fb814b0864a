/** Reads a backup to its end without restoring it: whole and unchanged, or an error. */

import { readArchive } from './archive-reader.ts';
import { invalidBackup, type Manifest } from './backup-format.ts';

export interface BackupSummary {
  manifest: Manifest;
  /** Documents by collection. */
  documents: Record<string, number>;
}

/** @throws NodewrightError BACKUP_INVALID, BACKUP_NEWER */
export async function verifyArchive(file: string): Promise<BackupSummary> {
  let manifest: Manifest | undefined;
  const documents: Record<string, number> = {};
  for await (const content of readArchive(file)) {
    if (content.kind === 'manifest') manifest = content.manifest;
    if (content.kind === 'chunk') {
      documents[content.collection] = (documents[content.collection] ?? 0) + content.documents.length;
    }
  }
  if (manifest === undefined) throw invalidBackup('it has no manifest.json');
  return { manifest, documents };
}
