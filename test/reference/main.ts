/** `npm run reference`: writes every generated page. `reference.test.ts` compares them with the code. */
import { writeFileSync } from 'node:fs';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { generatedPages } from './pages.ts';

for (const [path, page] of Object.entries(generatedPages)) {
  writeFileSync(packagePath(path), page());
  process.stdout.write(`${path}\n`);
}
