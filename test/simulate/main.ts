/**
 * `npm run simulate -- --seed 7 --hours 24 --daemons 3`: several daemons in one process under virtual time, whose every delay,
 * death and loss comes from the seed. Prints what came of it, without real times, on standard output; figures of speed on
 * standard error. Exit code 1: a rule did not hold; 2: wrong options.
 */
import { closeSync, createReadStream, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { campaign } from './campaign.ts';
import { type SimulateOptions, simulateOptions } from './options.ts';
import { simulatorProgram } from './program.ts';

const program = 'simulate';

function checkedOptions(): SimulateOptions {
  try {
    return simulateOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${program}: ${(error as Error).message}`);
    process.exit(2);
  }
}

/** Before anything is simulated: the exit code 1 is for a rule that did not hold. */
function checkTrace(file: string): void {
  try {
    closeSync(openSync(file, 'w'));
  } catch (error) {
    console.error(`${program}: --trace: ${(error as Error).message}`);
    process.exit(2);
  }
}

const options = checkedOptions();
const folder = await mkdtemp(join(tmpdir(), 'nodewright-trace-'));
const isPrinted = options.trace === '-';
if (options.trace !== undefined && !isPrinted) checkTrace(options.trace);
const trace = isPrinted ? join(folder, 'trace') : options.trace;
try {
  const path = await simulatorProgram(options.mutation);
  const port = { path, tell: console.log, tellSpeed: console.error };
  const hold = await campaign({ ...options, ...(trace !== undefined && { trace }) }, port);
  if (isPrinted && trace !== undefined) await pipeline(createReadStream(trace), process.stdout, { end: false });
  process.exitCode = hold ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
