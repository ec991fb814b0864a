/** CPU time and memory of a process, as the kernel counts them. */
import { readFileSync } from 'node:fs';

/** @returns ms of CPU time of the main thread */
export const busyMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/** @returns the most memory that the process ever had */
export const peakMiB = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
