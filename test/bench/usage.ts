/** CPU time and memory of a process and its children, as Linux counts them. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  cpuSec: number;
  /** Bytes. */
  resident: number;
}

/** Linux reports times in hundredths of a second on every platform. */
const TICKS = 100;
const KIB = 1024;

/** @param pids by name @returns functions that read the seconds of CPU time that the processes have used so far */
export const clocksOf = (pids: Readonly<Record<string, number>>): Record<string, () => number> =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, () => usageOf(pid).cpuSec]));

/** @returns the sum of the process, the children that it has waited for, and its living descendants */
export function usageOf(pid: number): Usage {
  const all = [pid, ...descendants(pid)].map(alone);
  return {
    cpuSec: all.reduce((sum, { cpuSec }) => sum + cpuSec, 0),
    resident: all.reduce((sum, { resident }) => sum + resident, 0),
  };
}

function alone(pid: number): Usage {
  const times = statOf(pid).slice(11, 15).map(Number);
  const resident = Number(/^VmRSS:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0);
  return { cpuSec: times.reduce((sum, time) => sum + time, 0) / TICKS, resident: resident * KIB };
}

/** Read from the threads that started them: a search through all processes would itself use much CPU time. */
function descendants(pid: number): number[] {
  const children = threadsOf(pid).flatMap(
    (thread) => textOf(`/proc/${pid}/task/${thread}/children`).match(/\d+/g) ?? [],
  );
  return children.map(Number).flatMap((child) => [child, ...descendants(child)]);
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** @returns the fields after the name, from the state on; none if the process has ended */
function statOf(pid: number): string[] {
  const text = textOf(`/proc/${pid}/stat`);
  return text === '' ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
