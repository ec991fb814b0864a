/**
 * The process of a daemon. Starts the daemon and stops it on SIGTERM or SIGINT: exit code 0 within 10 s. An invalid configuration
 * gives one line on stderr and exit code 2; any other failure at startup is printed, exit code 1. If the database
 * fails, for example because the disk is full, the process ends with one line and exit code 1.
 */
import { type Logger, pino } from 'pino';
import { recentLog } from '../../engine/api-port/values.ts';
import { type Config, createEngine, readConfig } from '../../engine/index.ts';
import { shownText } from '../../engine/vocabulary/conceal.ts';
import { type ErrorCode, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { type Daemon, startDaemon } from './daemon.ts';

/** Errors that a restart alone cannot resolve. */
const UNUSABLE: readonly ErrorCode[] = [
  'CONFIG_INVALID',
  'DATA_DIR_LOCKED',
  'DATA_DIR_DAMAGED',
  'DATA_DIR_FORMAT',
  'SCHEMA_NEWER',
  'SCHEMA_IN_USE',
  'RESTORE_UNFINISHED',
  'PLATFORM_UNSUPPORTED',
];

/** Work that has not stopped by then is recovered from the store at the next start. */
const STOP_MS = 9_000;

/** ms in which lines of the log reach a terminal. */
const LOG_MS = 100;

/** Starts the daemon. @param argv its arguments */
export async function serve(argv: readonly string[]): Promise<void> {
  const warnings: string[] = [];
  const config = configuration(argv, warnings);
  // A daemon with --role worker has no endpoint except the one for its health.
  const served = config.role === 'worker' ? { ...config, httpEndpoints: [] } : config;
  const log = await logger(config);
  for (const warning of warnings) log.warn(warning);
  // Its engine still knows the configured endpoints: child graphs that it launches contain their URLs.
  const daemon = startDaemon(served, log, (_, log) => createEngine(config, log, giveUp));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal, daemon, log));
  // A daemon that another program has started, with a channel, ends when that program does.
  process.once('disconnect', () => void stop('disconnect', daemon, log));
  daemon
    .then(async ({ started, greet }) => {
      await started;
      if (process.stdout.isTTY) await greet().then(sayLast, () => {});
    })
    .catch(reject);
}

/** Below the lines of the log, which are written soon. */
function sayLast(line: string | undefined): void {
  if (line !== undefined) setTimeout(() => process.stdout.write(`${line}\n`), LOG_MS);
}

/** Writes lines of JSON, or readable ones on a terminal. */
async function logger({ log: { level } }: Config): Promise<Logger> {
  if (!process.stdout.isTTY) return pino({ level, hooks: { streamWrite: (line) => recentLog.note(shownText(line)) } });
  const { readableLog } = await import('./readable-log.ts');
  return readableLog(level);
}

function configuration(argv: readonly string[], warnings: string[]): Config {
  try {
    return readConfig(process.env, process.cwd(), {}, argv, (line) => warnings.push(line));
  } catch (error) {
    return reject(error);
  }
}

async function stop(signal: string, daemon: Promise<Daemon>, log: Logger): Promise<void> {
  log.info({ signal }, 'stopping');
  // A supervisor would kill a hanging process anyway, but later and with another exit code.
  setTimeout(() => process.exit(0), STOP_MS).unref();
  await daemon.then((running) => running.stop()).catch((err) => log.error({ err }, 'did not stop cleanly'));
  process.exit(0);
}

/** Exits immediately: nothing can be saved any more, and every saved step is recovered at the next start. */
function giveUp({ message }: NodewrightError): void {
  process.stderr.write(`nodewright: ${message}\n`);
  process.exit(1);
}

function reject(error: unknown): never {
  if (error instanceof NodewrightError && UNUSABLE.includes(error.code)) {
    process.stderr.write(`nodewright: ${error.message.replaceAll('\n', ' ')}\n`);
    process.exit(2);
  }
  // A NodewrightError says what to do; for any other error the stack is needed.
  const text = error instanceof NodewrightError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`nodewright: cannot start: ${text}\n`);
  process.exit(1);
}
