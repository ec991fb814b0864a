/** The exit codes of the command line; docs/operate/command-line.md lists them. */
import type { WorkflowStatus } from '../../engine/vocabulary/states.ts';

export const EXIT = {
  succeeded: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  timeout: 4,
  /** The user ended the command with Ctrl-C; what it has started continues. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with a sentence and an exit code. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit code of a workflow that has ended. @param code of its error */
export function exitCodeOfEnd(status: WorkflowStatus, code: string | undefined): ExitCode {
  if (status === 'succeeded') return EXIT.succeeded;
  if (status === 'cancelled') return EXIT.cancelled;
  return code === 'TASK_TIMEOUT' ? EXIT.timeout : EXIT.failed;
}
