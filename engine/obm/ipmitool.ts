/**
 * One run of ipmitool, and what its end means.
 *
 * 1. No shell. The password goes by the environment of that one process: it stands on no command line, in no file and in
 *    no message.
 * 2. ipmitool sends a command again when the answer is late, and a BMC that is only slow then carries it out again. So a
 *    command that must not happen twice is sent without repeats.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { ObmError } from '../define/obm.ts';

export interface Bmc {
  host: string;
  port: number;
  user: string;
  password: string;
  cipherSuite: number;
}

export interface IpmiCommand {
  args: readonly string[];
  /** ipmitool may send it again by itself. */
  repeatable: boolean;
  /** For the whole of it. */
  timeoutMs: number;
  signal: AbortSignal;
}

const OUTPUT_LIMIT = 256 * 1024;
const SHOWN = 300;

/** How long it waits for one answer, so that it says by itself in half the time that a BMC is dead. */
const pacing = ({ repeatable, timeoutMs }: IpmiCommand): string[] => {
  const seconds = timeoutMs / 1_000;
  const wait = Math.max(1, Math.floor(seconds / (repeatable ? 8 : 4)));
  return ['-N', String(wait), '-R', repeatable ? '2' : '1'];
};

/** @returns what it printed @throws ObmError; the signal's reason when that fired */
export function ipmitool(bmc: Bmc, command: IpmiCommand): Promise<string> {
  const { host, port, user, password, cipherSuite } = bmc;
  // Verbose: only then it says why there was no session.
  const session = ['-v', '-I', 'lanplus', '-C', String(cipherSuite), '-H', host, '-p', String(port), '-U', user, '-E'];
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', IPMITOOL_PASSWORD: password };
  const { signal, timeoutMs, args } = command;
  return new Promise((resolve, reject) => {
    let end = () => {};
    const child = execFile(
      'ipmitool',
      [...session, ...pacing(command), ...args],
      { env, cwd: '/', signal, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: OUTPUT_LIMIT },
      (error, stdout, stderr) => {
        if (error === null) end = () => resolve(stdout);
        else if (signal.aborted) end = () => reject(signal.reason);
        else end = () => reject(meaning(error, stderr, `${host}:${port}`, command));
      },
    );
    // An abort is told before the process is gone, which may still send.
    child.once('close', () => setImmediate(() => end()));
  });
}

/** What ipmitool says when there was no session, so that the command was not sent; the first that fits. */
const sessionless: [RegExp, (where: string) => ObmError][] = [
  [
    /RAKP \d (HMAC is invalid|message indicates an error : (unauthorized name|unauthorized role|invalid role))/,
    (where) => refused(`the BMC at ${where} does not know this user with this password; correct the obm's config`),
  ],
  [
    /invalid (authentication|integrity|confidentiality) algorithm|no matching cipher suite/i,
    (where) =>
      refused(`the BMC at ${where} does not take this cipher suite; give the obm's config another cipherSuite`),
  ],
  [
    /Set Session Privilege Level to \w+ failed/,
    (where) => refused(`the BMC at ${where} does not let this user administrate; give the user that privilege`),
  ],
  [
    /Address lookup for .* failed/,
    (where) => unreachable(`the name of the BMC at ${where} has no address; correct the obm's host`),
  ],
  [/Unable to establish/, (where) => silent(where)],
];

const refused = (message: string) => new ObmError('OBM_REFUSED', message, { retry: false });
const unreachable = (message: string) => new ObmError('OBM_UNREACHABLE', message);
const silent = (where: string) => unreachable(`the BMC at ${where} does not answer; look at its network and its power`);

function meaning(error: ExecFileException, stderr: string, where: string, { args, repeatable }: IpmiCommand): ObmError {
  if (error.code === 'ENOENT') {
    return new ObmError('OBM_UNSUPPORTED', 'ipmitool is not on the PATH of the daemon; install it', { retry: false });
  }
  const known = sessionless.find(([said]) => said.test(stderr));
  if (known !== undefined) return known[1](where);
  const what = `ipmitool ${args.join(' ')}`;
  const [, why] = /(?:failed|SEL|rsp=0x[\da-f]+\)): (.+)$/m.exec(stderr) ?? [];
  if (why !== undefined)
    return new ObmError('OBM_FAILED', `${what}: the BMC at ${where} says "${why.slice(0, SHOWN)}"`);
  if (repeatable) return silent(where);
  return new ObmError('OBM_UNANSWERED', `${what}: the BMC at ${where} did not answer in time`, { sent: true });
}
