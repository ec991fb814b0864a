/**
 * `npm run reference`: writes every generated page. `reference.test.ts` compares them with the code. With `--entries`: the
 * page of each name, for the site and for `nw explain`.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { ENTRIES, entryPages } from './entries.ts';
import { generatedPages } from './pages.ts';

if (process.argv.includes('--entries')) {
  // Renamed when it is complete: another process may be reading, or writing its own.
  const draft = `${ENTRIES}.${process.pid}`;
  for (const [path, text] of entryPages()) write(path.replace(ENTRIES, draft), text);
  rmSync(packagePath(ENTRIES), { recursive: true, force: true });
  renameSync(packagePath(draft), packagePath(ENTRIES));
} else {
  for (const [path, page] of Object.entries(generatedPages)) {
    write(path, page());
    process.stdout.write(`${path}\n`);
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(packagePath(path)), { recursive: true });
  writeFileSync(packagePath(path), text);
}
