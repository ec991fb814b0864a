/**
 * The token of a context whose provider renews it.
 *
 * 1. A token that ends within `EARLY_MS` is renewed before the request.
 * 2. One process renews at a time, because a refresh token may be used once: it has the lock file beside the contexts, and reads
 *    them again when it has it. A lock older than `RENEWAL_MS` is that of a process that died.
 * 3. The next refresh token is in the file before the first request with the token that came with it.
 */
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { codeOf } from '../../../engine/vocabulary/thrown-values.ts';
import { type Context, contextsFile, readContexts, writeContexts } from '../contexts.ts';
import { CommandError } from '../exit-codes.ts';
import { renewedBy, sessionAt } from './provider-session.ts';

const EARLY_MS = 30_000;
const RENEWAL_MS = 30_000;
const RETRY_MS = 50;

/** @returns undefined: the context is not there any more */
export async function renewedToken(name: string): Promise<string | undefined> {
  const context = readContexts().contexts[name];
  if (context === undefined || !isEnding(context)) return context?.token;
  return withLock(async () => {
    const { contexts, ...others } = readContexts();
    const current = contexts[name];
    if (current?.renewal === undefined || !isEnding(current)) return current?.token;
    const { renewal, ...rest } = current;
    const issued = await renewedBy(await sessionAt(renewal, current.ca), renewal);
    writeContexts({ ...others, contexts: { ...contexts, [name]: { ...rest, ...issued } } });
    return issued.token;
  });
}

const isEnding = ({ renewal }: Context): boolean =>
  renewal !== undefined && Date.parse(renewal.expiresAt) - Date.now() < EARLY_MS;

async function withLock<T>(work: () => Promise<T>): Promise<T> {
  const file = `${contextsFile()}.lock`;
  for (const giveUpAt = Date.now() + 2 * RENEWAL_MS; !locks(file); await setTimeout(RETRY_MS))
    if (Date.now() > giveUpAt) throw new CommandError(`another nw holds ${file}; remove it if none is running`);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function locks(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (isOld(file)) rmSync(file, { force: true });
    return false;
  }
}

function isOld(file: string): boolean {
  try {
    return Date.now() - statSync(file).mtimeMs > RENEWAL_MS;
  } catch {
    return false;
  }
}
