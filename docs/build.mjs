/**
 * Builds the site of the pages into `dist/docs/`, where the daemon finds it. A link that leads to no page fails
 * the build. If no page has changed since the last build, nothing is built.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const home = fileURLToPath(new URL('.', import.meta.url));
const root = join(home, '..');
const site = join(root, 'dist/docs');
const draft = `${site}.${process.pid}`;
const STAMP = 'inputs.txt';

/** Node.js ended a program whose top level still waits. */
const UNFINISHED = 13;

writeEntries(3);
const inputs = await hashOfInputs();
if ((await readFile(join(site, STAMP), 'utf8').catch(() => undefined)) !== inputs) {
  if (!existsSync(join(home, 'node_modules'))) install();
  await buildSite();
}

/**
 * Writes the page of each name, for `nw explain` too. On a busy machine Node.js 20 has ended the program while it imported
 * modules through `--import`; it gets another try then.
 */
function writeEntries(tries) {
  const args = ['--import', 'tsx', 'test/reference/main.ts', '--entries'];
  try {
    execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  } catch (error) {
    if (error.status !== UNFINISHED || tries === 1) throw error;
    writeEntries(tries - 1);
  }
}

/** No package needs its script: the only one chooses a file that is in the package. */
function install() {
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: home, stdio: 'inherit' });
}

/** In a folder of its own first, because a daemon may be serving the earlier site. */
async function buildSite() {
  const { build } = await import('vitepress');
  try {
    await build(home, { outDir: draft });
    await writeFile(join(draft, STAMP), inputs);
    await compress(draft);
    await rm(site, { recursive: true, force: true });
    await rename(draft, site);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function hashOfInputs() {
  const hash = createHash('sha256');
  const names = (await readdir(root)).filter((name) => !/^(?:\.|node_modules$|data$|dist$)/.test(name));
  const paths = (await Promise.all(names.map(filesIn))).flat();
  for (const path of paths.sort()) hash.update(`${path}\n`).update(await readFile(join(root, path)));
  return hash.digest('hex');
}

/** @returns the paths of pages with their pictures, and of the site's own files */
async function filesIn(folder) {
  const path = join(root, folder);
  if (/\.md$/.test(folder)) return [folder];
  const names = await readdir(path, { recursive: true }).catch(() => []);
  return names
    .filter((name) => !/(?:^|\/)node_modules\/|\.vitepress\/\./.test(name))
    .filter((name) => /\.(?:md|webp)$/.test(name) || (folder === 'docs' && /\.(?:mjs|css|json)$/.test(name)))
    .map((name) => join(folder, name));
}

/** Adds a compressed copy of each file. */
async function compress(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
  }
}
