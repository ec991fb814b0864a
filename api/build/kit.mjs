/**
 * `node api/build/kit.mjs ARCHIVE FOLDER`: makes the authors' kit, `nodewright-kit`: `nodewright/define`, `nodewright/test` without
 * stories, the included tasks, and the commands that check and test graphs. It is made from the package of the daemon, without the
 * programs and the packages that only a daemon needs.
 *
 * Graphs name `nodewright`, so the kit is installed under that name (docs/author/kit.md).
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BUILD_ID, bundling, taskPrograms, withPackages } from './bundling.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Parts of the daemon's package, beside its programs. */
const PARTS = ['graphs', 'tasks', 'engine', 'LICENSE', 'NOTICE', 'dist/types', 'dist/library', 'dist/packages'];
const WITHOUT = ['engine/inventory', 'engine/durable', 'engine/platform', 'engine/hardware/twin', 'dist/types/api'];
const NAME = 'nodewright-kit';

const programs = {
  define: 'engine/define/index.ts',
  test: 'engine/kit/index.ts',
  nw: 'api/cli/kit-entry.ts',
  'packages/typebox/index': 'typebox',
};

const [archive, target] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'nodewright-kit-'));
try {
  const [whole, kit] = [join(home, 'whole'), join(home, 'kit')];
  mkdirSync(whole);
  execFileSync('tar', ['-xzf', archive, '--strip-components=1', '-C', whole]);
  for (const part of PARTS) cpSync(join(whole, part), join(kit, part), { recursive: true });
  for (const part of WITHOUT) rmSync(join(kit, part), { recursive: true, force: true });
  describe(whole, kit, await bundle(kit));
  execFileSync('npm', ['pack', '--pack-destination', target], { cwd: kit, stdio: 'ignore' });
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** @returns the packages that the programs import */
async function bundle(kit) {
  const { outputs } = (
    await build({
      ...bundling,
      ...withPackages,
      entryPoints: { ...programs, ...(await taskPrograms()) },
      outdir: join(kit, 'dist'),
      outExtension: { '.js': '.mjs' },
      chunkNames: 'parts/[name]-[hash]',
      splitting: true,
      minifySyntax: true,
      minifyWhitespace: true,
      lineLimit: 200,
      metafile: true,
    })
  ).metafile;
  // The included definitions need not be loaded again: those that the build of the daemon has loaded are the same.
  const { build: id } = JSON.parse(readFileSync(join(kit, 'dist/library/checks.json'), 'utf8'));
  for (const path of Object.keys(outputs)) {
    const file = join(root, path);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(BUILD_ID, id));
  }
  const imports = Object.values(outputs).flatMap((output) => output.imports.filter(({ external }) => external));
  return new Set(imports.map(({ path }) => packageOf(path)).filter((name) => !isBuiltin(name)));
}

/** @returns the name in the specifier of an import */
function packageOf(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function describe(whole, kit, packages) {
  const { version, license, type, engines, dependencies, exports } = JSON.parse(
    readFileSync(join(whole, 'package.json'), 'utf8'),
  );
  // The declarations name its types.
  const declared = Object.fromEntries([...packages, 'typebox'].sort().map((name) => [name, dependencies[name]]));
  const description = {
    name: NAME,
    version,
    description: 'Graphs for nodewright: written, checked and tested without a daemon',
    license,
    type,
    engines,
    bin: { nw: 'dist/nw.mjs' },
    exports: {
      ...exports,
      './test': { types: './dist/types/engine/kit/index.d.ts', default: './dist/test.mjs' },
    },
    dependencies: declared,
  };
  writeFileSync(join(kit, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
}
