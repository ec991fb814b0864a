/**
 * The URL of the broker: `amqp[s]://user:password@host:port/vhost[?tlsCAFile=path]`. `tlsCAFile` (PEM; the name is the one
 * in MongoDB's URLs) is an addition: the client has no such parameter. Without it, the public authorities apply.
 *
 * No message contains the URL, and Node's own error for an invalid URL does.
 */
import { readFileSync } from 'node:fs';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';

/** An idle connection that hangs is detected after two to three of these. */
const HEARTBEAT_SEC = 5;
const CA_FILE = 'tlsCAFile';

const reject = (what: string): never => {
  throw new NodewrightError('CONFIG_INVALID', `amqp ${what}; expected amqp://user:password@host:port/vhost`);
};

export interface Target {
  url: string;
  /** Options of the socket. */
  socket: { ca?: string };
}

/** @throws NodewrightError CONFIG_INVALID */
export function brokerTargetOf(text: string): Target {
  if (!URL.canParse(text)) reject('is not a URL');
  const url = new URL(text);
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(HEARTBEAT_SEC));
  const caFile = url.searchParams.get(CA_FILE);
  url.searchParams.delete(CA_FILE);
  if (caFile === null) return { url: url.href, socket: {} };
  if (url.protocol !== 'amqps:') reject(`has ${CA_FILE} without TLS (amqps)`);
  return { url: url.href, socket: { ca: authority(caFile) } };
}

function authority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return reject(`has ${CA_FILE} ${file}, which cannot be read (${codeOf(error)})`);
  }
}
