/** The process that simulates: it runs one plan after another, as its parent sends them (`simulators.ts`). */
import { rmSync } from 'node:fs';
import { loadLibrary } from './library.ts';
import type { SimulationPlan } from './plan.ts';
import { simulate } from './simulation.ts';
import { TraceFile } from './trace-file.ts';

/** From the parent. */
export interface SimulatorRequest {
  plan: SimulationPlan;
  /** Path of a file for the trace. */
  trace?: string;
}

const { definitions, dataDir } = await loadLibrary();
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
process.once('disconnect', () => process.exit());

process.on('message', ({ plan, trace }: SimulatorRequest) => void run(plan, trace));
process.send?.('ready');

async function run(plan: SimulationPlan, path: string | undefined): Promise<void> {
  const file = path === undefined ? undefined : new TraceFile(path);
  const trace = file && ((line: string) => file.write(line));
  const outcome = await simulate(plan, { definitions, dataDir, trace });
  file?.close();
  process.send?.(outcome);
}
