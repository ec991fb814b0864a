/** The command `nw`, also called `nodewright`. */
import { program } from './program.ts';
import { runCommandLine } from './run-command-line.ts';

await runCommandLine(program(process.argv[2]));
