/** Files that racadm reads and writes on the computer of the daemon: in a folder of their own, which is removed afterwards. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ReadableFile } from '../../define/operation.ts';

/** Bytes: more than the settings of a server have. */
const READ_LIMIT = 4 * 1024 * 1024;

/** @param use gets a path below an empty folder */
export async function withFolder<T>(name: string, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'nodewright-racadm-'));
  try {
    return await use(join(folder, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const copyTo = (path: string, file: ReadableFile, signal: AbortSignal): Promise<void> =>
  pipeline(file.open(), createWriteStream(path, { mode: 0o600 }), { signal });

/** @throws Error if it is too long, or was not written */
export async function settingsText(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > READ_LIMIT) throw new Error(`the settings have ${size} bytes, expected at most ${READ_LIMIT}`);
  return readFile(path, 'utf8');
}
