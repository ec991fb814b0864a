/**
 * The data directory of a daemon with an Administrator who has logged in, made by a daemon once for each build, and copied
 * for each daemon that a test starts: a new user and the first log-in take half a second of CPU time, most of it for hashes.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { buildHome, madeOnce } from '../ava/made-once.ts';
import { removeOwn } from '../engine/trial-results.ts';

/** Less than the day after which a token ends. */
const KEPT_MS = 8 * 60 * 60 * 1000;
const TOKEN = 'token';

let made: Promise<string> | undefined;

/**
 * @param dataDir of a daemon that has not started
 * @param make starts a daemon on a data directory, creates its Administrator, and ends it; resolves with the token
 * @returns the Administrator's token
 */
export async function putAdministered(dataDir: string, make: (dataDir: string) => Promise<string>): Promise<string> {
  made ??= kept(make);
  const home = await made;
  await cp(join(home, 'data'), dataDir, { recursive: true });
  return readFile(join(home, TOKEN), 'utf8');
}

function kept(make: (dataDir: string) => Promise<string>): Promise<string> {
  const build = createHash('sha256')
    .update(readFileSync(packagePath('dist/daemon.mjs')))
    .digest('hex')
    .slice(0, 16);
  return madeOnce(join(buildHome(), `administered-${build}-${Math.floor(Date.now() / KEPT_MS)}`), async (draft) => {
    const dataDir = join(draft, 'data');
    await mkdir(dataDir, { mode: 0o700 });
    await writeFile(join(draft, TOKEN), await make(dataDir));
    await removeOwn(dataDir);
    return draft;
  });
}
