/**
 * Parses a Redis URL into the client's options: `redis[s]://[user:password@]host[:port][/database][?tlsCAFile=path]`.
 *
 * 1. The client never gets the URL, so that none of its errors can contain it. No message here contains it either.
 * 2. Unknown parameters are rejected: the client would accept any of its options there.
 *
 * `tlsCAFile` (PEM; the name is the one in MongoDB's URLs) is an addition: the client has no such parameter. Without
 * it, the public authorities apply, and those of NODE_EXTRA_CA_CERTS for the whole process.
 */
import { readFileSync } from 'node:fs';
import type { RedisOptions } from 'ioredis';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';

const SHAPE = 'redis[s]://[user:password@]host[:port][/database][?tlsCAFile=path]';
const CA_FILE = 'tlsCAFile';

const reject = (what: string): never => {
  throw new NodewrightError('CONFIG_INVALID', `redis: ${what}; expected ${SHAPE}`);
};

/** @throws NodewrightError CONFIG_INVALID */
export function optionsOf(text: string): RedisOptions {
  if (!URL.canParse(text)) reject('is not a URL');
  const url = new URL(text);
  const secure = url.protocol === 'rediss:';
  if (!secure && url.protocol !== 'redis:') reject('is not a redis URL');
  if (url.hostname === '') reject('has no host');
  for (const name of url.searchParams.keys()) if (name !== CA_FILE) reject(`has a parameter that is not ${CA_FILE}`);
  const caFile = url.searchParams.get(CA_FILE);
  if (caFile !== null && !secure) reject(`has ${CA_FILE} without TLS (rediss)`);
  return {
    // Only URLs have brackets around an IPv6 address.
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 6379 : Number(url.port),
    db: database(url.pathname),
    ...(url.username !== '' && { username: decodedPart(url.username) }),
    ...(url.password !== '' && { password: decodedPart(url.password) }),
    ...(secure && { tls: caFile === null ? {} : { ca: authority(caFile) } }),
  };
}

function database(path: string): number {
  const [, digits] = /^\/?(\d*)$/.exec(path) ?? reject('has a path that is not the number of a database');
  return Number(digits);
}

function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return reject('has an invalid percent-encoding in user or password');
  }
}

function authority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return reject(`has ${CA_FILE} ${file}, which cannot be read (${codeOf(error)})`);
  }
}
