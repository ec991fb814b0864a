/** A process that tries definitions: starts it, collects the verdict of each text, and ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { packagePath } from '../../vocabulary/package-path.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';
import { BUSY_LIMITS } from './bundle.ts';
import { processorUse } from './processor-use.ts';

/** The result of trying one text. */
export type Verdict =
  | { kind: 'passed' }
  | { kind: 'threw'; message: string; stack: string; code?: string }
  | { kind: 'left'; what: string }
  /** The import did not return in time. */
  | { kind: 'late' }
  /** The process ended during the import. `memory`: the limit in MiB that was exceeded. */
  | { kind: 'died'; code: number | null; signal: NodeJS.Signals | null; memory?: number };

export interface TrialOutcome {
  verdicts: Map<string, Verdict>;
  /** The process ended normally. */
  isWhole: boolean;
}

interface Line {
  begin?: string;
  passed?: string;
  threw?: string;
  message?: string;
  stack?: string;
  code?: string;
  left?: string;
  what?: string;
  memory?: number;
  end?: true;
}

/** MiB; V8 ends the process if its heap needs more. */
const HEAP = 512;
/** The part of the limit for which a text that is late has used a processor. */
const ENOUGH = 0.8;
/** Environment variables that a text may need; the daemon's secrets are in others. */
const ENVIRONMENT = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS'];

/**
 * @param hashes of texts in the folder
 * @param limitMs for each text; longer while it waits for a processor
 * @throws if no process can be started
 */
export async function tryTogether(
  folder: string,
  hashes: readonly string[],
  limitMs: number,
  signal: AbortSignal,
): Promise<TrialOutcome> {
  const child = start(folder, hashes);
  const end = () => kill(child);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await outcomeOf(child, limitMs);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** Starts a separate process group, so that processes started by the texts end with it. */
function start(folder: string, hashes: readonly string[]): ChildProcess {
  const env = Object.fromEntries(ENVIRONMENT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const script = packagePath('engine/library/bundling/trial-child.mjs');
  return spawn(process.execPath, [`--max-old-space-size=${HEAP}`, script, folder, JSON.stringify(hashes)], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
}

async function outcomeOf(child: ChildProcess, limitMs: number): Promise<TrialOutcome> {
  const verdicts = new Map<string, Verdict>();
  const gone = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let at: string | undefined;
  let memory: number | undefined;
  let isWhole = false;
  let isLate = false;
  let hasBegun = false;
  let usedBefore = 0;
  let limits = 0;
  const use = () => processorUse(child.pid ?? 0);
  const limit = setTimeout(() => {
    limits += 1;
    const { usedMs, isReady } = use() ?? { usedMs: 0, isReady: false };
    // It waits for a processor, which is not its fault.
    if (isReady && usedMs - usedBefore < limitMs * ENOUGH && limits < BUSY_LIMITS) return void limit.refresh();
    isLate = true;
    kill(child);
  }, limitMs);
  const take = (line: Line) => {
    limit.refresh();
    limits = 0;
    usedBefore = use()?.usedMs ?? 0;
    const { begin, passed, threw, left, what = '', message = '', stack = '', code } = line;
    if (passed !== undefined) verdicts.set(passed, { kind: 'passed' });
    if (threw !== undefined) {
      verdicts.set(threw, { kind: 'threw', message, stack, ...(code !== undefined && { code }) });
    }
    if (left !== undefined) verdicts.set(left, { kind: 'left', what });
    if (line.memory === undefined) at = begin;
    hasBegun = true;
    memory = line.memory ?? memory;
    isWhole ||= line.end === true;
  };
  try {
    // Closed when the process and all that it started have ended.
    for await (const line of createInterface({ input: child.stdio[3] as Readable })) take(JSON.parse(line) as Line);
    const [code, signal] = await gone;
    if (!hasBegun && !isLate) throw new Error(`the process that tries definitions did not start (${code ?? signal})`);
    const died = { kind: 'died', code, signal, ...(memory !== undefined && { memory }) } as const;
    if (at !== undefined && !isWhole) verdicts.set(at, isLate ? { kind: 'late' } : died);
    return { verdicts, isWhole };
  } finally {
    clearTimeout(limit);
  }
}

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
