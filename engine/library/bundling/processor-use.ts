/** How much a process has used the processors, so that one that waits for them is not taken for one that hangs. */
import { readFileSync } from 'node:fs';

/** ms of Linux's unit of time for programs */
const TICK_MS = 10;

export interface ProcessorUse {
  /** ms of CPU time since its start, without its children */
  usedMs: number;
  /** It runs, or would if a processor were free. */
  isReady: boolean;
}

/** @returns undefined: the process has ended, or the system is not Linux */
export function processorUse(pid: number): ProcessorUse | undefined {
  try {
    // The name before it may contain spaces. Source: proc_pid_stat(5), fields 3, 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { usedMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS, isReady: fields[0] === 'R' };
  } catch {
    return undefined;
  }
}
