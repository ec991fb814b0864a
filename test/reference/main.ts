/**
 * `npm run reference`: writes every generated page. `reference.test.ts` compares them with the code. With `--entries`: the
 * page of each name, for the site and for `nw explain`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { putFolder } from '../put-folder.mjs';
import { ENTRIES, entryPages } from './entries.ts';
import { generatedPages } from './pages.ts';

if (process.argv.includes('--entries')) {
  const pages = [...entryPages()].map(([path, text]) => [relative(ENTRIES, path), text] as const);
  rmSync(packagePath(ENTRIES), { recursive: true, force: true });
  await putFolder(packagePath(ENTRIES), pages);
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
