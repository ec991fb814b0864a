/**
 * A session with one Redfish service (DSP0266, 13.3.4): made at the first request, used by all that follow, ended when nobody
 * has used it for a while.
 *
 * 1. Its token goes to the origin that it is from and nowhere else; redirects are not followed.
 * 2. It is ended on every way out but the death of the process; then the BMC's own timeout ends it.
 * 3. A service that has no sessions is asked with the credentials themselves (Basic, which DSP0266 asks of every service).
 * 4. A request that was refused for its token was not carried out: it is sent once more with a new session. A POST is not:
 *    it is sent once, and fails.
 */
import { Agent, request } from 'undici';
import { ObmError } from '../define/obm.ts';
import { within } from '../define/within.ts';
import type { Commit } from './commit.ts';
import { type Answer, readAnswer, refusalOf, transportError } from './redfish-answer.ts';

export interface RedfishTarget {
  /** Such as `https://10.1.1.7`. */
  origin: string;
  user: string;
  password: string;
  verifySSL: boolean;
  /** PEM of the authority that signed its certificate. */
  ca: string | undefined;
}

/** What lets a request in. */
interface Entry {
  headers: Record<string, string>;
  /** Path of the session; absent: there is none to end. */
  location?: string;
}

export interface Asked {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Of a command that must not happen twice: awaited right before it is sent. */
  commit?: Commit;
}

const ROOT = '/redfish/v1/';
const SESSIONS = '/redfish/v1/SessionService/Sessions';
/** Of the last request of a session: the daemon has 10 s to stop. */
const END_MS = 2_000;
/** That are remembered: BMCs end sessions, and new ones are made. */
const SECRETS = 30;

export class RedfishSession {
  readonly #target: RedfishTarget;
  readonly #timeoutMs: number;
  readonly #agent: Agent;
  #entry: Promise<Entry> | undefined;
  readonly #secrets = new Set<string>();

  constructor(target: RedfishTarget, timeoutMs: number) {
    const { verifySSL, ca, password } = target;
    this.#secrets.add(password);
    this.#target = target;
    this.#timeoutMs = timeoutMs;
    const connect = { rejectUnauthorized: verifySSL, timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) };
    // One request at a time on a connection, and no HTTP/2: a connection that ends then never has undici repeat a request.
    this.#agent = new Agent({ connect, pipelining: 1, allowH2: false });
  }

  /** The password, and what let it in lately: tokens, places of sessions. */
  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  #used(secret: string): void {
    this.#secrets.add(secret);
    const [, oldest] = this.#secrets;
    if (this.#secrets.size > SECRETS && oldest !== undefined) this.#secrets.delete(oldest);
  }

  /** @throws ObmError; the signal's reason when that fired */
  async ask(asked: Asked, signal: AbortSignal): Promise<Answer> {
    const used = this.#open();
    const entry = await unlessAborted(used, signal);
    const answer = await this.#send(asked, entry, signal);
    if (answer.status !== 401) return taken(asked, answer);
    if (this.#entry === used) this.#entry = undefined;
    if (asked.method === 'POST') return entry.location === undefined ? taken(asked, answer) : expired(asked);
    return taken(asked, await this.#send(asked, await unlessAborted(this.#open(), signal), signal));
  }

  /** Shared by all that ask, so that it is not any one of them that may call it off. */
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
    const asked = { method: 'POST', path, body } as const;
    const { status, headers, body: said } = await this.#send(asked);
    const token = headers['x-auth-token'];
    if (status === 401 || status === 403) throw refused(this.#target);
    if (status < 200 || status > 299) throw refusalOf(`POST ${path}`, status, said);
    const location = headers.location ?? (said as { '@odata.id'?: unknown } | null)?.['@odata.id'];
    if (typeof token === 'string' && typeof location === 'string') {
      // BMCs put names of their own before it.
      const { pathname } = new URL(location, this.#target.origin);
      for (const secret of [token, location, pathname]) this.#used(secret);
      return { headers: { 'x-auth-token': token }, location: pathname };
    }
    throw new ObmError('OBM_FAILED', `POST ${path}: found no X-Auth-Token or no Location, expected both (DSP0266)`);
  }

  /** @returns undefined when the service says what it has, and sessions are not among it */
  async #sessions(): Promise<string | undefined> {
    const { status, body } = await this.#send({ method: 'GET', path: ROOT });
    const root = body as { Links?: { Sessions?: { '@odata.id'?: unknown } }; SessionService?: unknown } | null;
    if (status !== 200 || root === null) return SESSIONS;
    const path = root.Links?.Sessions?.['@odata.id'];
    if (typeof path === 'string') return path;
    return root.SessionService === undefined ? undefined : SESSIONS;
  }

  async #send(asked: Asked, entry?: Entry, signal?: AbortSignal, ms = this.#timeoutMs): Promise<Answer> {
    signal?.throwIfAborted();
    const { method, body, headers } = asked;
    const url = this.#url(asked.path);
    await asked.commit?.();
    const ending = new AbortController();
    const stop = () => ending.abort();
    const timer = setTimeout(stop, ms);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const answer = await request(url, {
        ...{ method, dispatcher: this.#agent, signal: ending.signal },
        headers: {
          accept: 'application/json',
          ...entry?.headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return await readAnswer(answer);
    } catch (error) {
      signal?.throwIfAborted();
      // Without an entry it is the login, which does nothing to the node.
      const acts = method !== 'GET' && entry !== undefined;
      throw transportError(error, `${method} ${url.pathname}`, this.#target.origin, acts);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  }

  #url(path: string): URL {
    const url = new URL(path, this.#target.origin);
    if (url.origin === new URL(this.#target.origin).origin) return url;
    throw new ObmError('OBM_FAILED', `the BMC names a path at ${url.origin}, expected one at ${this.#target.origin}`);
  }

  /** @throws when the BMC could not be told */
  async close(): Promise<void> {
    try {
      const opening = this.#entry?.catch(() => undefined);
      const open = opening && (await within(opening, END_MS, () => undefined));
      if (open?.location === undefined) return;
      this.#entry = undefined;
      await this.#send({ method: 'DELETE', path: open.location }, open, undefined, END_MS);
    } finally {
      await this.#agent.destroy();
    }
  }
}

/** What is waited for goes on: others may wait for it too. */
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

function taken({ method, path }: Asked, answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw refusalOf(`${method} ${path}`, answer.status, answer.body);
}

function expired({ method, path }: Asked): never {
  const message = `${method} ${path}: the BMC ended the session and did not carry it out; try again`;
  throw new ObmError('OBM_FAILED', message, { sent: false });
}

const refused = ({ origin }: RedfishTarget) =>
  new ObmError('OBM_REFUSED', `${origin} does not know this user with this password; correct the obm's config`, {
    retry: false,
  });
