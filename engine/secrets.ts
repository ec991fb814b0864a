/** Secrets that the daemon makes for itself at its first start, and keeps in dataDir, readable by its owner alone. */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES = 32;

/** The same on every start; made when it is not there. Of two that make it at once, both get the one that was first. */
export function keptSecret(dataDir: string, name: string): string {
  const folder = join(dataDir, 'secrets');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  return read(file) ?? made(file);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written whole before it has its name: a process that dies in between leaves no half of a secret. */
function made(file: string): string {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(BYTES).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file, 'utf8').trim();
}
