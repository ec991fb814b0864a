/** Child processes for tests that kill them: each runs a TypeScript module and communicates by lines. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { bundling, withPackages } from '../../../api/build/bundling.mjs';
import { packagePath, packageRoot } from '../../../engine/vocabulary/package-path.ts';
import { shortLived } from '../../node-arguments.mjs';

export interface Child {
  readonly pid: number;
  /** Returns the next line of its output; undefined when it has ended. */
  line(): Promise<string | undefined>;
  say(text: string): void;
  /** Resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  readonly ended: Promise<void>;
}

/** @param pid negative: a process group */
export function killIfThere(pid: number): void {
  // 0 is the group of the test itself, -1 is every process.
  if (!Number.isInteger(pid) || Math.abs(pid) <= 1) throw new Error(`${pid} is not a process that a test started`);
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether the process is there, and no zombie. */
export const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';

/** In two parts, because the bundle of this module has its address instead of the whole. */
const ADDRESS = ['import.meta', 'url'].join('.');

/**
 * Bundles the module, once for each text and build of the tests: compiling its imports takes a second of CPU time, and reading
 * the files of packages half of one.
 */
function bundled(source: string): string {
  const build = process.env.NODEWRIGHT_TEST_BUILD;
  if (build === undefined) throw new Error('found no build of the tests; run them by ava');
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 16);
  // In the folder of the build, with which it is deleted.
  const file = packagePath(join(build, 'children', `${hash}.mjs`));
  if (existsSync(file)) return file;
  const draft = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  const { plugins: _, ...packages } = withPackages;
  buildSync({
    ...bundling,
    ...packages,
    // Packages compare the names of their classes.
    keepNames: true,
    stdin: { contents: source, resolveDir: packageRoot, loader: 'ts' },
    outfile: draft,
    // Modules look for files relative to their own address; those that do so are all in this folder.
    define: { [ADDRESS]: JSON.stringify(pathToFileURL(packagePath('test/support/faults/child.ts')).href) },
  });
  renameSync(draft, file);
  return file;
}

/**
 * @param source text of a module; its imports are resolved from the project's root
 * @param enter a command that runs the following command, such as unshare
 */
export function startChild(source: string, env: NodeJS.ProcessEnv = {}, enter: readonly string[] = []): Child {
  const node = [process.execPath, ...shortLived(), '--enable-source-maps', bundled(source)];
  const [command = '', ...args] = [...enter, ...node];
  const child: ChildProcess = spawn(command, args, {
    cwd: packageRoot,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (!child.stdout || !child.stdin || child.pid === undefined) throw new Error('the child did not start');
  const { stdin, stdout, pid } = child;
  // A killed child closes its end of the pipe.
  stdin.on('error', () => {});
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'exit').then(() => {});
  return {
    pid,
    ended,
    async line() {
      const { value, done } = await lines.next();
      return done ? undefined : value;
    },
    say: (text) => stdin.write(`${text}\n`),
    async kill(signal) {
      child.kill(signal);
      await ended;
    },
  };
}
