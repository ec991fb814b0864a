/**
 * Runs ipmitool, and maps its result to errors.
 *
 * 1. No shell. The password is passed in the environment of that one process, and
 *    appears in no command line, file or message.
 * 2. ipmitool repeats a request when the answer is late, and a slow BMC executes each copy. A command with a
 *    `commit` is therefore sent without repetitions.
 * 3. A completion code of the BMC proves that the command was not executed only if the code says so.
 */
import type { ExecFileException } from 'node:child_process';
import { ObmError } from '../../define/obm.ts';
import { pause } from '../../platform/lib/pause.ts';
import type { Commit } from './commit.ts';
import { runTool } from './run-tool.ts';

export interface Bmc {
  host: string;
  port: number;
  user: string;
  password: string;
  cipherSuite: number;
}

export interface IpmiCommand {
  args: readonly string[];
  /**
   * Set for a command that must not run twice: awaited before ipmitool starts. Absent: ipmitool may repeat the request.
   */
  commit?: Commit;
  /** Total timeout. */
  timeoutMs: number;
  /** Maximum bytes of output; absent: 256 KiB. */
  outputLimit?: number;
  signal: AbortSignal;
}

const OUTPUT_LIMIT = 256 * 1024;
const MESSAGE_LENGTH = 300;
/** The code of the error when a process has printed more than its limit. */
const TOO_LONG = 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';

/** Returns ipmitool's timeout per answer, so that it reports an unreachable BMC itself in half of the total time. */
const pacing = ({ commit, timeoutMs }: IpmiCommand): string[] => {
  const seconds = timeoutMs / 1_000;
  const wait = Math.max(1, Math.floor(seconds / (commit === undefined ? 8 : 4)));
  return ['-N', String(wait), '-R', commit === undefined ? '2' : '1'];
};

/** Verbose: ipmitool otherwise does not report why a session failed. */
export const sessionArguments = ({ host, port, user, cipherSuite }: Bmc): string[] => [
  '-v',
  '-I',
  'lanplus',
  '-C',
  String(cipherSuite),
  '-H',
  host,
  '-p',
  String(port),
  '-U',
  user,
  '-E',
];

export const environmentOf = ({ password }: Bmc) => ({
  PATH: process.env.PATH ?? '',
  LC_ALL: 'C',
  IPMITOOL_PASSWORD: password,
});

/** @returns its standard output @throws ObmError; the signal's reason if the signal fired */
export async function ipmitool(bmc: Bmc, command: IpmiCommand): Promise<string> {
  // Each start of a process stops the event loop.
  await pause();
  await command.commit?.();
  const { host, port } = bmc;
  const { signal, timeoutMs, args, outputLimit: maxBuffer = OUTPUT_LIMIT } = command;
  const { error, stdout, stderr } = await runTool('ipmitool', [...sessionArguments(bmc), ...pacing(command), ...args], {
    env: environmentOf(bmc),
    timeoutMs,
    maxBuffer,
    signal,
  });
  if (error === null) return stdout;
  throw meaning(error, stderr, `${host}:${port}`, command);
}

/** Messages of ipmitool for a session that failed, in which case the command was not sent; the first match applies. */
const sessionless: [RegExp, (where: string) => ObmError][] = [
  [
    /RAKP \d (HMAC is invalid|message indicates an error : (unauthorized name|unauthorized role|invalid role))/,
    (where) => rejectedError(`the BMC at ${where} rejected the user name or the password; correct the obm's config`),
  ],
  [
    /invalid (authentication|integrity|confidentiality) algorithm|no matching cipher suite/i,
    (where) =>
      rejectedError(`the BMC at ${where} does not accept this cipher suite; give the obm's config another cipherSuite`),
  ],
  [
    /Set Session Privilege Level to \w+ failed/,
    (where) => rejectedError(`the BMC at ${where} denies this user the privilege Administrator; grant it to the user`),
  ],
  [
    /Address lookup for .{0,300} failed/,
    (where) => unreachable(`the name of the BMC at ${where} cannot be resolved; correct the obm's host`),
  ],
  [/Unable to establish/, (where) => silentError(where)],
];

/**
 * Completion codes (IPMI 2.0, table 5-2), in ipmitool's words, by which a BMC rejects a command before executing it.
 */
const declined =
  /^(Node busy|Invalid command|Out of space|Request data|Parameter out of range|Invalid data field|Device firmeware in update|BMC initialization in progress|Insufficient privilege|Command not supported in present state|Cannot execute command, command disabled)/;

const rejectedError = (message: string) => new ObmError('OBM_REJECTED', message, { retry: false });
const unreachable = (message: string) => new ObmError('OBM_UNREACHABLE', message);
const silentError = (where: string) =>
  unreachable(`the BMC at ${where} does not answer; check its network and its power`);

export const missingTool = () =>
  new ObmError('OBM_UNSUPPORTED', 'ipmitool is not on the PATH of the daemon; install it', { retry: false });

/** Returns why there was no session; undefined: there was one, or ipmitool does not say. */
export const sessionError = (stderr: string, where: string): ObmError | undefined =>
  sessionless.find(([said]) => said.test(stderr))?.[1](where);

function meaning(error: ExecFileException, stderr: string, where: string, { args, commit }: IpmiCommand): ObmError {
  if (error.code === 'ENOENT') return missingTool();
  const what = `ipmitool ${args.join(' ')}`;
  if (String(error.code) === TOO_LONG) return new ObmError('OBM_FAILED', `${what}: the BMC at ${where} sent too much`);
  const withoutSession = sessionError(stderr, where);
  if (withoutSession !== undefined) return withoutSession;
  const [, why] = /(?:failed|SEL|rsp=0x[\da-f]+\)|Info): (.+)$/m.exec(stderr) ?? [];
  if (why !== undefined) {
    const message = `${what}: the BMC at ${where} says "${why.slice(0, MESSAGE_LENGTH)}"`;
    return new ObmError('OBM_FAILED', message, declined.test(why) ? { sent: false } : {});
  }
  if (commit === undefined) return silentError(where);
  return new ObmError('OBM_UNANSWERED', `${what}: the BMC at ${where} did not answer in time`, { sent: true });
}
