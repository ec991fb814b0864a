/** The twin of a bench: `nw twin` as a process, and its ledger. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import type { BenchDaemon } from './daemon.ts';
import { type Usage, usageOf } from './usage.ts';

export interface FleetTwin {
  usage(): Usage;
  /** Counts the commands of the ledger with this kind and text, by machine. */
  told(kind: string, what: string): Promise<Map<string, number>>;
  stop(): Promise<void>;
}

interface FleetPlan {
  folder: string;
  machines: number;
  speed: number;
  /** Lines of faults. */
  faults?: string;
}

/** Started again on the same folder, it continues. */
export async function startTwin(
  daemon: BenchDaemon,
  { folder, machines, speed, faults }: FleetPlan,
): Promise<FleetTwin> {
  const data = join(folder, 'twin');
  const file = join(folder, 'faults');
  if (faults !== undefined) writeFileSync(file, faults);
  const args = ['twin', '--data', data, '--nodes', String(machines), '--seed', '90', '--speed', String(speed)];
  const token = daemon.headers.authorization?.replace('Bearer ', '') ?? '';
  const child = spawn(
    process.execPath,
    [packagePath('dist/nw.mjs'), ...args, '--port', '18500', ...(faults === undefined ? [] : ['--faults', file])],
    { env: { ...process.env, NW_URL: daemon.origin, NW_TOKEN: token }, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  await running(child);
  return {
    usage: () => usageOf(child.pid ?? 0),
    told: (kind, what) => countLines(join(data, 'ledger.jsonl'), kind, what),
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** Returns the number of machines that were counted once. */
export const exactlyOnce = (counts: Map<string, number>): number =>
  [...counts.values()].filter((count) => count === 1).length;

async function running(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error('the twin has no output');
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('machines, seed')) return;
  throw new Error('the twin did not start');
}

async function countLines(file: string, kind: string, what: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const text of createInterface({ input: createReadStream(file) })) {
    const line = JSON.parse(text) as { machine: string; kind: string; what: string; by: string };
    // The BMC notes the end of an update, too.
    if (line.kind !== kind || line.by === 'BMC' || !line.what.startsWith(what)) continue;
    counts.set(line.machine, (counts.get(line.machine) ?? 0) + 1);
  }
  return counts;
}
