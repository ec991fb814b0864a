/**
 * A session of serial over LAN (IPMI 2.0, chapter 15) by `ipmitool sol activate`: its standard output is what the machine
 * writes to its serial port, its standard input is what the machine reads there.
 *
 * 1. A BMC gives the port to one session. ipmitool ends by itself when its standard input ends, and gives the port back
 *    first, also when this process was killed.
 * 2. A session that ended without its own end may still have the port (`isLeft`): only then may a later one take the port
 *    by `sol deactivate`. The port of another program's session is never taken.
 */
import { spawn } from 'node:child_process';
import { ObmError } from '../../define/obm.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';
import { type Bmc, environmentOf, missingTool, sessionArguments, sessionError } from './ipmitool.ts';

/** Begins a command of ipmitool itself when it follows a line break; input has none. */
const ESCAPE = '\u001d';
const BANNER = /\[SOL Session operational\.[^\n]*\n/;
const BANNER_LENGTH = 4_096;
/** ms until a session that does not end is killed. */
const END_MS = 3_000;
/** ipmitool keeps its banner until the machine writes something; when the session is open, it looks for a terminal in vain. */
const NO_TERMINAL = /tcgetattr/;
/** ms after which a session is open, whatever ipmitool says: it would have given up before. */
const OPEN_MS = 60_000;
/** Bytes of input that the BMC has not taken. */
const INPUT_LIMIT = 16 * 1024;
const STDERR_LENGTH = 16 * 1024;

export interface SerialEnd {
  /** The reason of the end; undefined: it was closed. */
  error: ObmError | undefined;
  /** The BMC may still believe that the session has the port. */
  isLeft: boolean;
}

export interface SerialSession {
  /** @returns false: the BMC does not take input now */
  write(text: string): boolean;
  /** Never rejects. */
  end: Promise<SerialEnd>;
}

export interface SerialListener {
  connected(): void;
  /** Receives what the machine writes. */
  data(bytes: Buffer): void;
}

/** @param signal closes the session */
export function openSerial(bmc: Bmc, listener: SerialListener, signal: AbortSignal): SerialSession {
  const child = spawn('ipmitool', [...sessionArguments(bmc), '-e', ESCAPE, 'sol', 'activate'], {
    env: environmentOf(bmc),
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [head, stderr] = ['', ''];
  let [isOpen, hasBanner] = [false, false];
  let failure: unknown;
  const noteOpen = () => {
    if (!isOpen) listener.connected();
    isOpen = true;
  };
  const timers = [setTimeout(noteOpen, OPEN_MS)];
  const close = () => {
    child.stdin.end();
    timers.push(setTimeout(() => child.kill('SIGKILL'), END_MS));
  };
  child.stdin.on('error', () => {}); // it has ended
  child.stderr.on('data', (bytes: Buffer) => {
    stderr = (stderr + bytes.toString()).slice(-STDERR_LENGTH);
    if (NO_TERMINAL.test(stderr)) noteOpen();
  });
  child.stdout.on('data', (bytes: Buffer) => {
    if (hasBanner) return listener.data(bytes);
    // As Latin-1 each byte is a character: what follows the banner stays as it is.
    head = (head + bytes.toString('latin1')).slice(-BANNER_LENGTH);
    const banner = BANNER.exec(head);
    if (banner === null) return;
    hasBanner = true;
    noteOpen();
    const beyond = head.slice(banner.index + banner[0].length);
    if (beyond !== '') listener.data(Buffer.from(beyond, 'latin1'));
  });
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
  const end = new Promise<SerialEnd>((resolve) => {
    child.once('error', (error) => {
      failure = error;
    });
    child.once('close', (code) => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', close);
      const isKilled = code === null && failure === undefined;
      if (signal.aborted && !isKilled) return resolve({ error: undefined, isLeft: false });
      const where = `${bmc.host}:${bmc.port}`;
      const isLost = isKilled || /No response/.test(stderr);
      const error = codeOf(failure) === 'ENOENT' ? missingTool() : endError(stderr, where, isOpen);
      resolve({ error, isLeft: isLost });
    });
  });
  const write = (text: string): boolean => {
    if (!isOpen || child.stdin.writableLength > INPUT_LIMIT) return false;
    child.stdin.write(text);
    return true;
  };
  return { write, end };
}

/** Messages of ipmitool for a port that it did not get; the first match applies. */
const denials: [RegExp, (where: string) => ObmError][] = [
  [
    /already active on another session|activation limit reached/,
    (where) =>
      new ObmError('OBM_BUSY', `another session owns the serial console of the BMC at ${where}; close that one`),
  ],
  [
    /SOL payload (type )?disabled/,
    (where) =>
      new ObmError('OBM_UNSUPPORTED', `serial over LAN is disabled on the BMC at ${where}; enable it there`, {
        retry: false,
      }),
  ],
];

const SAID_LENGTH = 300;

function endError(stderr: string, where: string, wasOpen: boolean): ObmError {
  const denied = denials.find(([said]) => said.test(stderr));
  if (denied !== undefined) return denied[1](where);
  if (wasOpen && !/No response/.test(stderr))
    return new ObmError('OBM_FAILED', `the BMC at ${where} ended the session of its serial console`);
  const [, why] = /(?:SOL payload|session): (.+)$/m.exec(stderr) ?? [];
  if (why !== undefined)
    return new ObmError('OBM_FAILED', `sol activate: the BMC at ${where} says "${why.slice(0, SAID_LENGTH)}"`);
  return (
    sessionError(stderr, where) ??
    new ObmError('OBM_UNANSWERED', `the BMC at ${where} does not answer the session of its serial console`)
  );
}
