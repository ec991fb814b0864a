/**
 * Runs a command on the daemon's machine: an executable with arguments, never through a shell. Only executables on the
 * daemon's allow-list (`shellCommands` in its config) are run; it is empty by default.
 *
 * Output: `{ exitCode, stdout, stderr }`.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { defineTask, PermanentError, Type } from 'nodewright/define';

const OUTPUT_LIMIT = 64 * 1024;

interface FinishedCommand {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export default defineTask({
  injectableName: 'Task.Shell.Command',
  friendlyName: 'Run a command',
  // The effect of a command is unknown, so it must not be repeated.
  recovery: 'once',
  optionsSchema: Type.Object(
    {
      command: Type.String({ minLength: 1, description: 'Absolute path of an executable on the allow-list.' }),
      args: Type.Optional(Type.Array(Type.String(), { maxItems: 1_000, description: 'Its arguments.' })),
      env: Type.Optional(
        Type.Record(Type.String(), Type.String(), { description: 'Environment variables in addition to PATH.' }),
      ),
      cwd: Type.Optional(Type.String({ minLength: 1, description: 'Working directory; absent: the root.' })),
      acceptedExitCodes: Type.Optional(
        Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { minItems: 1, description: 'Exit codes of success.' }),
      ),
    },
    { additionalProperties: false },
  ),
  options: { args: [], acceptedExitCodes: [0] },
  run: async ({ input, signal, services }) => {
    const { command, args = [], env = {}, cwd = '/', acceptedExitCodes = [0] } = input;
    if (!services.shellCommands.includes(command)) throw notAllowed(command);
    const finished = await execute(command, args, { env: { PATH: process.env.PATH ?? '', ...env }, cwd, signal });
    if (acceptedExitCodes.includes(finished.exitCode)) return finished;
    throw new PermanentError(
      `${command} ended with ${finished.exitCode}, expected ${acceptedExitCodes.join(' or ')}: ${finished.stderr.slice(-500)}`,
      'COMMAND_FAILED',
    );
  },
});

const notAllowed = (command: string) =>
  new PermanentError(
    `${command} is not on the allow-list; add it to shellCommands in the daemon's config if it may run`,
    'COMMAND_NOT_ALLOWED',
  );

function execute(
  command: string,
  args: string[],
  options: { env: Record<string, string>; cwd: string; signal: AbortSignal },
): Promise<FinishedCommand> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { ...options, maxBuffer: OUTPUT_LIMIT }, (error, stdout, stderr) => {
      const exitCode = exitOf(error);
      if (exitCode === undefined) reject(error);
      else resolve({ exitCode, stdout, stderr });
    });
  });
}

/** Returns undefined if it could not be started, was ended by a signal, or printed too much. */
const exitOf = (error: ExecFileException | null): number | undefined => {
  if (error === null) return 0;
  return typeof error.code === 'number' ? error.code : undefined;
};
