/**
 * Runs racadm, Dell's tool, on the computer of the daemon, against the address of an iDRAC.
 *
 * 1. No shell. racadm takes the password as an argument only: users of that computer can read it while the tool runs.
 * 2. The password appears in no message.
 */
import type { ExecFileException } from 'node:child_process';
import { ObmError, type RacadmCommand } from '../../define/obm.ts';
import { REDACTED } from '../../vocabulary/encrypted-values.ts';
import { runTool } from './run-tool.ts';

export interface Idrac {
  /** With its port, unless that is 443. */
  address: string;
  user: string;
  password: string;
}

const RACADM_OUTPUT = 4 * 1024 * 1024;
const SAID_LENGTH = 300;
/** The tool warns of certificates that it cannot check, and continues. */
const WARNING = /^(Security Alert: |Continuing execution\.).*\n/gm;

/** @returns its standard output, without warnings of certificates @throws ObmError; the signal's reason if the signal fired */
export async function racadm(
  { address, user, password }: Idrac,
  { args, accepts = [0], timeoutMs, signal }: RacadmCommand,
): Promise<string> {
  const { error, stdout, stderr } = await runTool('racadm', ['-r', address, '-u', user, '-p', password, ...args], {
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
    timeoutMs,
    maxBuffer: RACADM_OUTPUT,
    signal,
  });
  // A command that ended beside the abort has no use any more.
  signal.throwIfAborted();
  const output = stdout.replace(WARNING, '');
  if (error === null || accepts.some((code) => code === error.code)) return output;
  const text = `${output}\n${stderr.replace(WARNING, '')}`.replaceAll(password, REDACTED);
  throw meaning(error, text, args[0] ?? '', address);
}

function meaning({ code, killed }: ExecFileException, output: string, action: string, address: string): ObmError {
  if (code === 'ENOENT')
    return new ObmError('OBM_UNSUPPORTED', 'racadm is not on the PATH of the daemon; install it (Dell iDRAC Tools)', {
      retry: false,
    });
  const what = `racadm ${action} at ${address}`;
  if (killed === true) return new ObmError('OBM_UNANSWERED', `${what}: did not end in time`, { sent: true });
  const line = /^ERROR: *(.+)$/m.exec(output)?.[1] ?? output.trim().split('\n')[0] ?? '';
  const said = line.slice(0, SAID_LENGTH);
  if (/unable to connect/i.test(output)) return new ObmError('OBM_UNREACHABLE', `${what}: ${said}`, { sent: false });
  const isRejected = /login failed|invalid username or password/i.test(output);
  return new ObmError(isRejected ? 'OBM_REJECTED' : 'OBM_FAILED', `${what}: ${said}`, {
    retry: false,
    ...(isRejected && { sent: false }),
  });
}
