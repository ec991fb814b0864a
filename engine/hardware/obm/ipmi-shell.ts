/**
 * A session of ipmitool that stays open: it reads commands from its standard input, so that a password is in no command
 * line, and can be taken back where a new session would be rejected.
 */
import { spawn } from 'node:child_process';
import { ObmError } from '../../define/obm.ts';
import { type Bmc, environmentOf, sessionArguments } from './ipmitool.ts';

/** ms until a session that does not end is killed. */
const END_MS = 3_000;
const PROMPT = 'ipmitool> ';
/** A list of 63 users has some thousand characters. */
const SHELL_OUTPUT = 256 * 1024;

export interface IpmiShell {
  /** @returns what the command prints */
  say(line: string): Promise<string>;
}

/** @throws ObmError; the reason of the signal */
export async function withIpmiShell<T>(
  bmc: Bmc,
  timeoutMs: number,
  signal: AbortSignal,
  work: (shell: IpmiShell) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const child = spawn('ipmitool', [...sessionArguments(bmc), 'shell'], {
    env: environmentOf(bmc),
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
    signal,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let printed = '';
  let look = () => {};
  let hasEnded = false;
  const end = new Promise<void>((resolve) => {
    child.once('error', () => resolve()); // it could not be started, or was killed
    child.once('close', () => resolve());
  }).then(() => {
    hasEnded = true;
    look();
  });
  child.stdin.on('error', () => {}); // it has ended
  child.stdout.on('data', (data: Buffer) => {
    printed = (printed + data.toString()).slice(-SHELL_OUTPUT);
    look();
  });
  /** Its next prompt: what the command before it printed is complete. */
  const untilPrompt = async (): Promise<string> => {
    while (!printed.endsWith(PROMPT)) {
      if (hasEnded) {
        signal.throwIfAborted();
        throw new ObmError('OBM_UNANSWERED', `the BMC at ${bmc.host}:${bmc.port} ended the session`, { sent: true });
      }
      await new Promise<void>((resolve) => {
        look = resolve;
      });
    }
    const text = printed.slice(0, -PROMPT.length);
    printed = '';
    return text;
  };
  try {
    await untilPrompt();
    const say = (line: string): Promise<string> => {
      printed = '';
      child.stdin.write(`${line}\n`);
      return untilPrompt();
    };
    return await work({ say });
  } finally {
    child.stdin.end('exit\n');
    // It closes the session on the BMC first.
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await end;
    clearTimeout(timer);
  }
}
