/** Reads the command that starts a job (`jobs/job-command.ts`), and knows it by the script of the job. */
import { shellQuoted } from '../../../vocabulary/shell-quoted.ts';
import { jobText } from '../../jobs/job-command.ts';
import { shellAssignments } from './shell-words.ts';

type Variables = Record<string, string>;

export interface StartedJob {
  isIn(command: string): boolean;
  /** @returns the variables of the command, and those of the job itself */
  variablesIn(command: string): { command: Variables; job: Variables };
}

/** @param script as `jobCommand` gets it */
export function startedJob(script: string): StartedJob {
  const line = `job=${shellQuoted(jobText(script))}`;
  return {
    isIn: (command) => command.includes(line),
    variablesIn(command) {
      const at = command.indexOf(line);
      const rest = command.slice(at + line.length, command.indexOf('\nseed() {\n'));
      const { wanted = '' } = shellAssignments(rest);
      return { command: shellAssignments(command.slice(0, at)), job: shellAssignments(wanted) };
    },
  };
}
