/** The modules of the build define the same graphs and tasks as the texts of the included definitions. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { builtModule } from '../../../../engine/library/bundling/built-modules.ts';
import { load } from '../../../../engine/library/bundling/bundle.ts';
import { definitionIn } from '../../../../engine/library/forms/module-exports.ts';
import { packagePath } from '../../../../engine/vocabulary/package-path.ts';
import { folder } from '../../../support/ava/folder.ts';

const built = packagePath('dist/library');

test('each included definition is the same in the modules of the build as in its text', async (t) => {
  const cacheDir = folder(t);
  const bundles = readdirSync(join(built, 'bundles')).map((name) =>
    JSON.parse(readFileSync(join(built, 'bundles', name), 'utf8')),
  );
  for (const { file, text, hash } of bundles) {
    const ofModule = definitionIn(await builtModule(built, hash));
    t.deepEqual(shape(ofModule), shape(await load({ text, hash, inputs: [], map: '' }, cacheDir)), file);
  }
  const included = ['graphs', 'tasks'].flatMap((name) => readdirSync(packagePath(name)));
  t.is(bundles.length, included.filter((name) => name.endsWith('.ts') && !name.startsWith('_')).length);
});

/** All of it that JSON can hold, and the names of its functions, without the numbers that esbuild gives to equal ones. */
const shape = (definition: unknown): unknown =>
  JSON.parse(
    JSON.stringify(definition, (_, value) =>
      typeof value === 'function' ? `function ${value.name.replace(/\d+$/, '')}` : value,
    ),
  );
