/** Runs a command line. Exit codes: `exit-codes.ts`. */
import { type Command, CommanderError } from 'commander';
import { messageOf } from '../../engine/vocabulary/thrown-values.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { inform } from './terminal.ts';

export async function runCommandLine(root: Command): Promise<void> {
  // The reader of a pipe has enough, as `nw events | head` does.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') throw new Error('cannot write the result');
    process.exit(EXIT.succeeded);
  });
  try {
    await root.parseAsync(process.argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  // Commander has written its message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.succeeded : EXIT.usage;
  inform(`nw: ${messageOf(error)}`);
  return error instanceof CommandError ? error.exitCode : EXIT.failed;
}
