/** Runs a tool of BMCs without a shell, in an environment of its own. */
import { type ExecFileException, execFile } from 'node:child_process';

interface ToolRun {
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  /** Maximum bytes of output. */
  maxBuffer: number;
  signal: AbortSignal;
}

interface ToolEnd {
  /** null: it ended with 0. */
  error: ExecFileException | null;
  stdout: string;
  stderr: string;
}

/** Resolves when the process has ended. @throws the signal's reason if the signal fired and the tool failed */
export function runTool(name: string, args: readonly string[], run: ToolRun): Promise<ToolEnd> {
  const { env, timeoutMs: timeout, maxBuffer, signal } = run;
  return new Promise((resolve, reject) => {
    let end = () => {};
    const child = execFile(
      name,
      args,
      { env, cwd: '/', signal, timeout, killSignal: 'SIGKILL', maxBuffer },
      (error, stdout, stderr) => {
        if (error !== null && signal.aborted) end = () => reject(signal.reason);
        else end = () => resolve({ error, stdout, stderr });
      },
    );
    // execFile reports an abort before the process has ended, which may still send.
    child.once('close', () => setImmediate(() => end()));
  });
}
