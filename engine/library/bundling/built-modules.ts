/**
 * The modules of the included definitions in one file, with a single copy of what they share. Their texts are six times as
 * large together, and a start would read, write and compile each.
 *
 * Owns `modules.mjs` next to the built bundles: a namespace for each text, named by its hash.
 *
 * 1. A module takes the place of the text with its hash, if the bundle of that text may be used (`cached-bundles.ts`).
 * 2. A definition has the hash of its text, and the archive keeps that text. A version that is no longer served has no module.
 * 3. If the file cannot be imported, each definition is bundled again.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../vocabulary/package-path.ts';
import { definitionBuild, type Module } from './bundle.ts';

const fileIn = (built: string): string => join(built, 'modules.mjs');
const nameOf = (hash: string): string => `text_${hash}`;

/** @throws an error of the import */
export async function builtModule(built: string, hash: string): Promise<Module> {
  const all: Readonly<Record<string, Module>> = await import(pathToFileURL(fileIn(built)).href);
  const module = all[nameOf(hash)];
  if (module === undefined) throw new Error(`found no module of the text ${hash} in ${fileIn(built)}`);
  return module;
}

/**
 * @param built folder beside that of the bundled packages
 * @param files the definition files, by the hash of their texts
 */
export async function buildModules(built: string, files: Readonly<Record<string, string>>): Promise<void> {
  const { build } = await import('esbuild');
  const exports = Object.entries(files).map(
    ([hash, file]) => `export * as ${nameOf(hash)} from ${JSON.stringify(file)};`,
  );
  await build({
    ...definitionBuild,
    stdin: { contents: exports.join('\n'), resolveDir: packageRoot },
    outfile: fileIn(built),
    // The same instance as that of the daemon and of the texts (`text-folder.ts`).
    plugins: [
      {
        name: 'typebox',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^typebox$/ }, () => ({ path: '../packages/typebox/index.mjs', external: true })),
      },
    ],
  });
}
