/**
 * Completes `dist/` for `npm pack`: the declarations of the public modules, the site of the pages, and what a checkout only
 * links to. Chunks of earlier builds, which a running daemon may still load, are left out of the package.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './build.mjs';
import '../../docs/build.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');

rmSync(join(dist, 'types'), { recursive: true, force: true });
execFileSync('npx', ['--no-install', 'tsc', '-p', 'api/build/types.tsconfig.json'], { cwd: root, stdio: 'inherit' });

const linked = join(dist, 'packages/typebox/build');
rmSync(linked, { recursive: true, force: true });
cpSync(join(root, 'node_modules/typebox/build'), linked, {
  recursive: true,
  filter: (path) => !path.endsWith('.mts'),
});

const { outputs } = JSON.parse(readFileSync(join(dist, 'daemon.json'), 'utf8'));
const current = new Set(outputs.map((path) => basename(path)));
for (const folder of ['daemon', 'console/assets']) {
  const names = readdirSync(join(dist, folder)).filter((name) => name !== '.npmignore');
  writeFileSync(join(dist, folder, '.npmignore'), names.filter((name) => !current.has(name)).join('\n'));
}

// The trials of the build end in any order; two builds of one commit make the same package.
const tried = join(dist, 'library/tried.json');
const texts = JSON.parse(readFileSync(tried, 'utf8'));
writeFileSync(tried, JSON.stringify({ ...texts, passed: texts.passed.sort() }), { mode: 0o600 });
