import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Writes the folder's entries to the disk: new files and names in it survive a power failure. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
