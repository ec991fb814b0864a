/**
 * Bundles the process that simulates. A bundle starts quicker than its sources, and may have a mutation: a fault in a source,
 * put in on purpose, that the oracle has to find.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundling } from '../../api/build/bundling.mjs';
import { packagePath, packageRoot } from '../../engine/vocabulary/package-path.ts';
import type { Mutation } from './mutations.ts';

const HOME = 'node_modules/.cache/nodewright/simulate';

/** @returns the path of the program */
export async function simulatorProgram(mutation?: Mutation): Promise<string> {
  const { outputFiles } = await build({
    ...bundling,
    format: 'esm',
    platform: 'node',
    absWorkingDir: packageRoot,
    entryPoints: [packagePath('test/simulate/simulator.ts')],
    write: false,
    sourcemap: mutation === undefined && 'inline',
    sourcesContent: false,
    plugins: mutation === undefined ? [] : [mutated(mutation)],
  });
  const text = outputFiles[0]?.text ?? '';
  const path = packagePath(`${HOME}/${createHash('sha256').update(text).digest('hex').slice(0, 16)}.mjs`);
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, path);
  return path;
}

const mutated = ({ patches }: Mutation): Plugin => ({
  name: 'mutation',
  setup({ onLoad, onEnd }) {
    const done = new Set<string>();
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const own = patches.filter(({ file }) => packagePath(file) === path);
      if (own.length === 0) return undefined;
      let contents = await readFile(path, 'utf8');
      for (const { file, from, to } of own) {
        if (contents.split(from).length !== 2) throw new Error(`${file}: expected this once: ${from}`);
        contents = contents.replace(from, () => to);
        done.add(file);
      }
      return { contents, loader: 'ts' };
    });
    onEnd(() => {
      const left = patches.find(({ file }) => !done.has(file));
      if (left !== undefined) throw new Error(`${left.file}: the simulation does not import it`);
    });
  },
});
