/**
 * Bundles the console into `dist/console/`: its page, and files that are named by their content, each with a copy that is
 * compressed already. Pages are split, so that the first one loads little.
 */

import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundling } from '../build/bundling.mjs';

const PAGE_FILE = 'api/console/index.html';

/**
 * @param build of esbuild
 * @param home folder of the outputs
 * @returns `{ files: [{ path, contents }], inputs }`: paths of inputs are relative to the root
 */
export async function buildConsole(build, home) {
  const { absWorkingDir: root, target: _, ...common } = bundling;
  const { outputFiles, metafile } = await build({
    ...common,
    absWorkingDir: root,
    entryPoints: { main: 'api/console/main.tsx' },
    outdir: join(home, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/ui/assets',
    platform: 'browser',
    packages: 'bundle',
    // The layout of graphs runs in a worker, which has a file of its own.
    loader: { '.min.js': 'file', '.woff2': 'file' },
    plugins: [icons],
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    splitting: true,
    minify: true,
    legalComments: 'none',
    write: false,
    metafile: true,
  });
  const main = outputFiles.find(({ path }) => /\/main-\w+\.js$/.test(path));
  const styles = outputFiles.find(({ path }) => /\/main-\w+\.css$/.test(path));
  const text = (await readFile(join(root, PAGE_FILE), 'utf8'))
    .replace('main.js', basename(main.path))
    .replace('main.css', basename(styles.path));
  const files = [
    ...outputFiles,
    { path: join(home, 'index.html'), contents: Buffer.from(text) },
    { path: join(home, 'assets/LICENSES.txt'), contents: await licensesOf(Object.keys(metafile.inputs), root) },
  ];
  return {
    files: files.flatMap(({ path, contents }) => [
      { path, contents },
      { path: `${path}.gz`, contents: gzip(contents) },
    ]),
    inputs: [...Object.keys(metafile.inputs), PAGE_FILE, relative(root, import.meta.filename)],
  };
}

/** An icon becomes the list of its shapes, `[element, attributes]`: the policy of the page allows no markup from scripts. */
const icons = {
  name: 'icons',
  setup({ onLoad }) {
    onLoad({ filter: /\/lucide-static\/icons\/[\w-]+\.svg$/ }, async ({ path }) => {
      const shapes = (await readFile(path, 'utf8')).matchAll(/<(\w+) ([^>]*)\/>/g);
      const attributes = (text) =>
        Object.fromEntries([...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, ...one]) => one));
      return {
        contents: JSON.stringify([...shapes].map(([, name, text]) => [name, attributes(text)])),
        loader: 'json',
      };
    });
  },
};

/** Returns the licenses of the packages that the files belong to. */
async function licensesOf(files, root) {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? []);
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    const file = (await readdir(join(root, folder))).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`found no license in ${folder}; expected a file LICENSE`);
    return `${name} ${version} (${license})\n\n${await readFile(join(root, folder, file), 'utf8')}`;
  });
  return Buffer.from((await Promise.all(texts)).join('\n\n'));
}

/** The same bytes give the same file. */
const gzip = (contents) => gzipSync(contents, { level: 9 });
