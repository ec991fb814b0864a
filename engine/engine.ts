/** Wires everything; the only file that names an adapter. */
import type { Config } from './config.ts';
import type { WorkflowRow } from './runtime/row.ts';
export interface Engine {
  config: Config;
  rows: WorkflowRow[];
}
export function createEngine(_c: Config): Engine {
  throw new Error('unwired');
}
