/**
 * A session with one Redfish service (DSP0266, 13.3.4): opened by the first request, shared by
 * later ones, and closed after an idle time.
 *
 * 1. Its token is sent only to the origin that issued it; redirects are not followed.
 * 2. It is closed in every case except the death of the process; then the BMC's own timeout ends it.
 * 3. A service without sessions gets the credentials themselves (Basic, which DSP0266 requires of every service).
 * 4. A request that was rejected for its token was not executed: it is sent once more in a new session. A POST is not
 *    repeated: it fails.
 */
import { Readable } from 'node:stream';
import type { Agent } from 'undici';
import { ObmError, type RedfishUpload } from '../../define/obm.ts';
import { pause } from '../../platform/lib/pause.ts';
import { undici } from '../../platform/lib/undici.ts';
import { property } from '../../vocabulary/json.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import { type AccessAdvice, obmAdvice } from '../redfish/access-advice.ts';
import { SERVICE_ROOT } from '../redfish/service.ts';
import type { Commit } from './commit.ts';
import { type Answer, readAnswer, rejectionOf, transportError } from './redfish-answer.ts';
import { multipartOf } from './redfish-upload.ts';

export interface RedfishTarget {
  /** Such as `https://10.1.1.7`. */
  origin: string;
  user: string;
  password: string;
  verifySSL: boolean;
  /** PEM of the authority that signed the service's certificate. */
  ca: string | undefined;
  /** Absent: that for an obm. */
  advice?: AccessAdvice;
}

/** Authorization of requests. */
interface Entry {
  headers: Record<string, string>;
  /** Path of the session; absent: there is no session to close. */
  location?: string;
}

export type ReadStream = (body: AsyncIterable<Uint8Array>) => Promise<void>;

export interface RedfishRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  /** Instead of `body`. */
  upload?: RedfishUpload | undefined;
  headers?: Record<string, string>;
  /** Reads a successful answer as it comes, however long it takes; absent: the answer is JSON. */
  readStream?: ReadStream;
  /** Absent: that of the session. */
  timeoutMs?: number | undefined;
  /** Set for a command that must not run twice: awaited directly before it is sent. */
  commit?: Commit;
}

const SESSIONS = `${SERVICE_ROOT}SessionService/Sessions`;
/** Timeout of a session's last request: the daemon has 10 s to stop. */
const END_MS = 2_000;
/** A stream that is silent for so long may have lost its connection. */
const SILENCE_MS = 900_000;
/** Limit of remembered secrets: BMCs end sessions, and new ones are opened. */
const SECRETS = 30;

export class RedfishSession {
  readonly #target: RedfishTarget;
  readonly #timeoutMs: number;
  #agent: Agent | undefined;
  #entry: Promise<Entry> | undefined;
  readonly #secrets = new Set<string>();

  constructor(target: RedfishTarget, timeoutMs: number) {
    this.#secrets.add(target.password);
    this.#target = target;
    this.#timeoutMs = timeoutMs;
  }

  /** The password, and recent tokens and paths of sessions. */
  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  #rememberSecret(secret: string): void {
    this.#secrets.add(secret);
    const [, oldest] = this.#secrets;
    if (this.#secrets.size > SECRETS && oldest !== undefined) this.#secrets.delete(oldest);
  }

  /** @throws ObmError; the signal's reason if the signal fired */
  async ask(request: RedfishRequest, signal: AbortSignal): Promise<Answer> {
    const used = this.#open();
    const entry = await unlessAborted(used, signal);
    const answer = await this.#send(request, entry, signal);
    if (answer.status !== 401) return this.#takenAnswer(request, answer);
    if (this.#entry === used) this.#entry = undefined;
    // Without a session, the credentials were rejected. More attempts would lock the account.
    if (entry.location === undefined) throw this.#rejectedError();
    if (request.method === 'POST') return expiredError(request);
    return this.#takenAnswer(request, await this.#send(request, await unlessAborted(this.#open(), signal), signal));
  }

  /** Returns the session shared by all requests; no single request can abort its opening. */
  #open(): Promise<Entry> {
    const opening = this.#entry ?? this.#login();
    this.#entry = opening;
    opening.catch(() => {
      if (this.#entry === opening) this.#entry = undefined;
    });
    return opening;
  }

  async #login(): Promise<Entry> {
    const { user, password } = this.#target;
    const path = await this.#sessions();
    if (path === undefined) {
      const credentials = Buffer.from(`${user}:${password}`).toString('base64');
      return { headers: { authorization: `Basic ${credentials}` } };
    }
    const body = { UserName: user, Password: password };
    const request = { method: 'POST', path, body } as const;
    const { status, headers, body: said } = await this.#send(request);
    const token = headers['x-auth-token'];
    if (status === 401 || status === 403) throw this.#rejectedError();
    if (status < 200 || status > 299) throw this.#rejectionOf(`POST ${path}`, status, said);
    const location = headers.location ?? property(said, '@odata.id');
    if (typeof token === 'string' && typeof location === 'string') {
      // Only the path is used: BMCs may prefix a host name of their own.
      const { pathname } = new URL(location, this.#target.origin);
      for (const secret of [token, location, pathname]) this.#rememberSecret(secret);
      return { headers: { 'x-auth-token': token }, location: pathname };
    }
    throw new ObmError('OBM_FAILED', `POST ${path}: found no X-Auth-Token or no Location, expected both (DSP0266)`);
  }

  /** Returns the path of the sessions; undefined if the service root lists none. */
  async #sessions(): Promise<string | undefined> {
    const { status, body } = await this.#send({ method: 'GET', path: SERVICE_ROOT });
    if (status !== 200 || body === null) return SESSIONS;
    const path = property(property(property(body, 'Links'), 'Sessions'), '@odata.id');
    if (typeof path === 'string') return path;
    return property(body, 'SessionService') === undefined ? undefined : SESSIONS;
  }

  async #send(
    request: RedfishRequest,
    entry?: Entry,
    signal?: AbortSignal,
    ms = request.timeoutMs ?? this.#timeoutMs,
  ): Promise<Answer> {
    // Before the commit: what follows it is sent immediately. Each new connection with TLS takes milliseconds.
    await pause();
    signal?.throwIfAborted();
    const { method, headers, readStream } = request;
    const sent = contentOf(request);
    const url = this.#url(request.path);
    const { Agent, request: httpRequest } = await undici();
    this.#agent ??= new Agent(agentOptions(this.#target, this.#timeoutMs));
    await request.commit?.();
    const ending = new AbortController();
    const stop = () => ending.abort();
    const timer = setTimeout(stop, ms);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const answer = await httpRequest(url, {
        method,
        dispatcher: this.#agent,
        signal: ending.signal,
        headers: {
          accept: 'application/json',
          ...entry?.headers,
          ...sent.headers,
          ...headers,
        },
        ...(sent.body !== undefined && { body: sent.body }),
        // A large file takes longer than undici waits for the headers of an answer.
        headersTimeout: ms,
        ...(readStream !== undefined && { bodyTimeout: SILENCE_MS }),
      });
      if (readStream === undefined || answer.statusCode !== 200) return await readAnswer(answer);
      clearTimeout(timer);
      await readStream(answer.body);
      return { status: answer.statusCode, headers: answer.headers, body: null };
    } catch (error) {
      signal?.throwIfAborted();
      // A request without an entry is the login, which does not change the node.
      const changes = method !== 'GET' && entry !== undefined;
      throw transportError(error, `${method} ${url.pathname}`, this.#target, changes);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  }

  #takenAnswer({ method, path }: RedfishRequest, answer: Answer): Answer {
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw this.#rejectionOf(`${method} ${path}`, answer.status, answer.body);
  }

  #rejectionOf(what: string, status: number, body: unknown): ObmError {
    return rejectionOf(what, status, body, this.#target.advice);
  }

  #rejectedError(): ObmError {
    const { origin, advice: { account } = obmAdvice } = this.#target;
    return new ObmError('OBM_REJECTED', `${origin} rejected the user name or the password; ${account}`, {
      retry: false,
    });
  }

  #url(path: string): URL {
    const url = new URL(path, this.#target.origin);
    if (url.origin === new URL(this.#target.origin).origin) return url;
    throw new ObmError('OBM_FAILED', `the BMC sent a URL at ${url.origin}, expected one at ${this.#target.origin}`);
  }

  /** @throws if the session could not be closed on the BMC */
  async close(): Promise<void> {
    try {
      const opening = this.#entry?.catch(() => undefined);
      const open = opening && (await withTimeout(opening, END_MS, () => undefined));
      if (open?.location === undefined) return;
      this.#entry = undefined;
      await this.#send({ method: 'DELETE', path: open.location }, open, undefined, END_MS);
    } finally {
      await this.#agent?.destroy();
    }
  }
}

function contentOf({ body, upload }: RedfishRequest): { headers?: Record<string, string>; body?: string | Readable } {
  if (upload !== undefined) {
    const { headers, body: parts } = multipartOf(upload);
    return { headers, body: Readable.from(parts) };
  }
  return body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** One request at a time per connection, and no HTTP/2: otherwise undici may repeat a request after a lost connection. */
function agentOptions({ verifySSL, ca }: RedfishTarget, timeoutMs: number): Agent.Options {
  const connect = { rejectUnauthorized: verifySSL, timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) };
  return { connect, pipelining: 1, allowH2: false };
}

/** Awaits the work until the signal fires. The work itself continues: others may await it too. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function expiredError({ method, path }: RedfishRequest): never {
  const message = `${method} ${path}: the BMC ended the session and did not execute the request; try again`;
  throw new ObmError('OBM_FAILED', message, { sent: false });
}
