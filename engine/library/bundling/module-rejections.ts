/** Why a file is not a module: esbuild cannot read it, or it throws when it is imported. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { basename, resolve } from 'node:path';
import type { BuildFailure } from 'esbuild';
import { didYouMean } from '../../vocabulary/nearest.ts';
import { packagePath, packageRoot } from '../../vocabulary/package-path.ts';
import { codeOf, fieldOf, messageOf } from '../../vocabulary/thrown-values.ts';
import { Rejection } from '../options/rejection.ts';

const XSTATE = ['assign', 'createActor', 'createMachine', 'fromCallback', 'fromPromise', 'raise', 'setup'];

/** @param error of esbuild */
export function buildRejection(error: unknown, file: string): Rejection {
  const [first] = (error as Partial<BuildFailure>).errors ?? [];
  if (first === undefined) return new Rejection(`${file}, which cannot be built: ${String(error)}`, 'a module');
  const where = first.location === null ? file : `${resolve(packageRoot, first.location.file)}:${first.location.line}`;
  const [, path = '', original = path] =
    /^Could not resolve "([^"]+)"(?: \(originally "([^"]+)"\))?/.exec(first.text) ?? [];
  if (path === '') return new Rejection(`the error '${first.text}' at ${where}`, 'a module that esbuild can read');
  return new Rejection(`import of '${original}' at ${where}, which does not exist`, expectedFile(original));
}

/** A task that comes with nodewright is often imported by its path in another example. */
function expectedFile(path: string): string {
  const name = basename(path);
  const tasks = path.includes('tasks/') ? readdirSync(packagePath('tasks')) : [];
  if (tasks.includes(name)) return `'nodewright/tasks/${name}', or a file of your own`;
  return `a file (starting with './' or '../'), or a task in 'nodewright/tasks/'${didYouMean(name, tasks)}`;
}

/** @param error as thrown, or its message, stack and code */
export async function importRejection(error: unknown, hash: string, inputs: string[], map: string): Promise<Rejection> {
  const message = messageOf(error);
  const stack = String(fieldOf(error, 'stack') ?? '');
  const missing = /package '([^']+)'/.exec(message)?.[1];
  if (codeOf(error) === 'ERR_MODULE_NOT_FOUND' && missing !== undefined) {
    const problem = `import of '${missing}'${await lineOf(missing, inputs)}, which does not exist`;
    return new Rejection(problem, "a package that nodewright depends on, or a file (starting with './' or '../')");
  }
  const [, from, name] = /'([^']+)' does not provide an export named '([^']+)'/.exec(message) ?? [];
  if (from !== undefined)
    return new Rejection(
      `import of '${name}' from '${from}'${await lineOf(from, inputs, name)}, which has no such export`,
      'the name of one of its exports',
    );
  const where = originalPlace(map, stack, hash);
  const [, state, target] = /for state node '([^']+)':\s*Child state '([^']+)' does not exist/.exec(message) ?? [];
  if (target !== undefined)
    return new Rejection(
      `target '${target}' for state node '${state}'${where}`,
      "the name of a state beside it, or '#' and the id of a state",
    );
  return new Rejection(`'${message}' thrown while loading${where}`, expectedModule(message));
}

function expectedModule(message: string): string {
  const [, unbound = ''] = /^(\w+) is not defined/.exec(message) ?? [];
  // Editors write some functions of XState without their import.
  if (XSTATE.includes(unbound)) return `import { ${unbound} } from 'xstate' at its top`;
  if (['require', 'module', 'exports'].includes(unbound) || message.startsWith('Dynamic require'))
    return 'an ES module: `import` and `export default`, without `require` and `module.exports`';
  return 'a file that loads without an error';
}

/** Returns the source of the innermost position that is not in this package: ` at file:line`. */
function originalPlace(map: string, stack: string, hash: string): string {
  if (map === '') return '';
  const sources = new SourceMap(JSON.parse(map));
  const places = [...stack.matchAll(new RegExp(`${hash}\\.mjs:(\\d+):(\\d+)`, 'g'))].flatMap(([, line, column]) => {
    const entry = sources.findEntry(Number(line) - 1, Number(column) - 1);
    return 'originalSource' in entry
      ? { file: resolve(packageRoot, entry.originalSource), line: entry.originalLine + 1 }
      : [];
  });
  const place = places.find(({ file }) => !file.startsWith(packagePath('engine/'))) ?? places[0];
  return place === undefined ? '' : ` at ${place.file}:${place.line}`;
}

/** @param name that the line imports */
async function lineOf(specifier: string, inputs: string[], name = ''): Promise<string> {
  const quoted = [`'${specifier}`, `"${specifier}`];
  for (const input of inputs) {
    const lines = await readFile(input, 'utf8').then(
      (text) => text.split('\n'),
      () => [],
    );
    const at = lines.findIndex((line) => line.includes(name) && quoted.some((one) => line.includes(one)));
    if (at !== -1) return ` at ${input}:${at + 1}`;
  }
  return '';
}
