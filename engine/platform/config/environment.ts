/**
 * Values of the configuration from environment variables. Each value that may be a secret can be in a file, which the
 * variable with the suffix `_FILE` names: other users of the machine can read an environment, and supervisors log it.
 *
 * 1. A value and a file for the same key are rejected, because one of them would be ignored.
 * 2. No message contains a part of a file's content.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf } from '../../vocabulary/thrown-values.ts';
import type { ConfigFile } from './config-schema.ts';
import { rejectConfig } from './violations.ts';

/** Environment variables that override keys of the file. */
export const secretVariables = {
  mongodb: 'MONGODB_URL',
  redis: 'REDIS_URL',
  amqp: 'AMQP_URL',
  authTokenSecret: 'NODEWRIGHT_AUTH_TOKEN_SECRET',
} as const;
/** The file of the values of the key `env`, as JSON. */
export const ENV_FILE = 'NODEWRIGHT_ENV_FILE';

const SOURCE = 'environment and arguments';
/** Longer than any URL or list of keys. */
const MAX_KIB = 64;
/** Permissions of users who are neither the owner nor in its group. */
const OTHERS = 0o007;

type Warn = (line: string) => void;

/** @param warn receives a line about each file that other users can read */
export function readEnvironment(env: NodeJS.ProcessEnv, cwd: string, warn: Warn): ConfigFile {
  const valueIn = (name: string): string | undefined => {
    const path = env[`${name}_FILE`];
    if (!path) return env[name] || undefined;
    if (env[name]) {
      rejectConfig(SOURCE, `${name} and ${name}_FILE are both set, expected one of them; remove the other`);
    }
    return readSecret(`${name}_FILE`, resolve(cwd, path), warn);
  };
  const { authTokenSecret, ...urls } = secretVariables;
  const entries = Object.entries(urls).map(([key, name]) => [key, valueIn(name)]);
  const keys = valueIn(authTokenSecret);
  const path = env[ENV_FILE];
  return {
    ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    ...(keys !== undefined && { authTokenSecret: keys.split(/\s+/) }),
    ...(path && { env: parseObject(readSecret(ENV_FILE, resolve(cwd, path), warn)) }),
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // The parser's own message quotes the text.
    return rejectConfig(SOURCE, `the file of ${ENV_FILE} is not JSON; correct it`);
  }
}

function readSecret(variable: string, path: string, warn: (line: string) => void): string {
  const reject = (what: string) => rejectConfig(SOURCE, `${variable}: ${path} ${what}`);
  const { bytes, mode } = content(path, (error) => reject(`cannot be read (${codeOf(error)}); correct the path`));
  if (bytes === undefined) return reject('is not a file; correct the path');
  if (bytes.length > MAX_KIB * 1024) return reject(`has more than ${MAX_KIB} KiB; expected one secret`);
  const text = bytes.toString('utf8').trim();
  if (text === '') return reject('is empty; write the secret into it');
  if ((mode & OTHERS) !== 0) {
    warn(`${variable}: other users can read ${path} (mode ${(mode & 0o777).toString(8)}); change it to 400 or 440`);
  }
  return text;
}

/** @returns no bytes if it is not a regular file: a pipe might never end */
function content(path: string, failed: (error: unknown) => never): { bytes?: Buffer; mode: number } {
  let file: number | undefined;
  try {
    // Without waiting for the writer of a pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(file);
    if (!status.isFile()) return { mode: status.mode };
    const buffer = Buffer.alloc(MAX_KIB * 1024 + 1);
    return { bytes: buffer.subarray(0, readSync(file, buffer)), mode: status.mode };
  } catch (error) {
    return failed(error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
