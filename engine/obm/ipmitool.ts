/**
 * One run of ipmitool, and what its end means.
 *
 * 1. No shell. The password goes by the environment of that one process: it stands on no command line, in no file and in
 *    no message.
 * 2. ipmitool by itself repeats a request when the answer is late, and a slow BMC carries out each copy. So a command with
 *    a `commit` goes out without repeats.
 * 3. A command that the BMC answered with a completion code was certainly not carried out only where that code says so.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { ObmError } from '../define/obm.ts';
import type { Commit } from './commit.ts';

export interface Bmc {
  host: string;
  port: number;
  user: string;
  password: string;
  cipherSuite: number;
}

export interface IpmiCommand {
  args: readonly string[];
  /** Of a command that must not happen twice: awaited before ipmitool starts. Absent: ipmitool may repeat the request. */
  commit?: Commit;
  /** For the whole of it. */
  timeoutMs: number;
  /** Bytes that it may print; absent: 256 KiB. */
  outputLimit?: number;
  signal: AbortSignal;
}

const OUTPUT_LIMIT = 256 * 1024;
const SHOWN = 300;

/** How long it waits for one answer, so that it says by itself in half the time that a BMC is dead. */
const pacing = ({ commit, timeoutMs }: IpmiCommand): string[] => {
  const seconds = timeoutMs / 1_000;
  const wait = Math.max(1, Math.floor(seconds / (commit === undefined ? 8 : 4)));
  return ['-N', String(wait), '-R', commit === undefined ? '2' : '1'];
};

/** @returns what it printed @throws ObmError; the signal's reason when that fired */
export async function ipmitool(bmc: Bmc, command: IpmiCommand): Promise<string> {
  await command.commit?.();
  const { host, port, user, password, cipherSuite } = bmc;
  // Verbose: only then it says why there was no session.
  const session = ['-v', '-I', 'lanplus', '-C', String(cipherSuite), '-H', host, '-p', String(port), '-U', user, '-E'];
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', IPMITOOL_PASSWORD: password };
  const { signal, timeoutMs, args, outputLimit: maxBuffer = OUTPUT_LIMIT } = command;
  return new Promise((resolve, reject) => {
    let end = () => {};
    const child = execFile(
      'ipmitool',
      [...session, ...pacing(command), ...args],
      { env, cwd: '/', signal, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer },
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

/** Completion codes (IPMI 2.0, table 5-2), in ipmitool's words, with which a BMC declines a command before it begins. */
const declined =
  /^(Node busy|Invalid command|Out of space|Request data|Parameter out of range|Invalid data field|Device firmeware in update|BMC initialization in progress|Insufficient privilege|Command not supported in present state|Cannot execute command, command disabled)/;

const refused = (message: string) => new ObmError('OBM_REFUSED', message, { retry: false });
const unreachable = (message: string) => new ObmError('OBM_UNREACHABLE', message);
const silent = (where: string) => unreachable(`the BMC at ${where} does not answer; look at its network and its power`);

function meaning(error: ExecFileException, stderr: string, where: string, { args, commit }: IpmiCommand): ObmError {
  if (error.code === 'ENOENT') {
    return new ObmError('OBM_UNSUPPORTED', 'ipmitool is not on the PATH of the daemon; install it', { retry: false });
  }
  const known = sessionless.find(([said]) => said.test(stderr));
  if (known !== undefined) return known[1](where);
  const what = `ipmitool ${args.join(' ')}`;
  const [, why] = /(?:failed|SEL|rsp=0x[\da-f]+\)): (.+)$/m.exec(stderr) ?? [];
  if (why !== undefined) {
    const message = `${what}: the BMC at ${where} says "${why.slice(0, SHOWN)}"`;
    return new ObmError('OBM_FAILED', message, declined.test(why) ? { sent: false } : {});
  }
  if (commit === undefined) return silent(where);
  return new ObmError('OBM_UNANSWERED', `${what}: the BMC at ${where} did not answer in time`, { sent: true });
}
