/** Child processes for tests that kill them: each runs a TypeScript module and communicates by lines. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

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

/**
 * @param source text of a module; its imports are resolved from the project's root
 * @param enter a command that runs the following command, such as unshare
 */
export function startChild(source: string, env: NodeJS.ProcessEnv = {}, enter: readonly string[] = []): Child {
  const root = new URL('../../', import.meta.url);
  const node = [process.execPath, '--import=tsx', '--input-type=module', '--eval', source];
  const [command = '', ...args] = [...enter, ...node];
  const child: ChildProcess = spawn(command, args, {
    cwd: root,
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
