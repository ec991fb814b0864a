/** Opens endpoints on free ports for a test, sends requests, and closes them when the test ends. */
import { scryptSync } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { credentialOf, issueToken } from '../../../api/auth/tokens.ts';
import { openEndpoint, timeLimits } from '../../../api/endpoint/server.ts';
import type { Endpoint, Engine, UserRecord } from '../../../engine/api-port/index.ts';
import { type FakeEngine, fakeEngine } from '../engine/fake-engine.ts';
import { exchange, type Received } from './exchange.ts';

/** On a busy machine a test may have no turn for the ten seconds that headers may take, and would get 408. */
const patientLimits = { ...timeLimits, headersTimeout: 120_000 };

export interface Answer {
  status: number;
  headers: Pick<Headers, 'get'>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape; t.is detects a wrong one
  body: any;
}

export interface Request {
  token?: string;
  body?: unknown;
  /** Sent unchanged instead of `body`. */
  raw?: string | Buffer | FormData;
  headers?: Record<string, string>;
}

export type Send = (method: string, path: string, request?: Request) => Promise<Answer>;

export interface Api<E extends Engine = FakeEngine> {
  engine: E;
  port: number;
  send: Send;
  /** Creates a user and returns a token for it. */
  as(role: string, username?: string): Promise<string>;
  /** Creates a user and returns the token of a Redfish session. */
  session(role: string, username?: string): Promise<string>;
}

export const northbound: Endpoint = {
  address: '127.0.0.1',
  port: 0,
  httpsEnabled: false,
  httpsCert: undefined,
  httpsKey: undefined,
  httpsCa: undefined,
  proxiesEnabled: false,
  authEnabled: true,
  routers: 'northbound-api-router',
};

export const southbound: Endpoint = { ...northbound, authEnabled: false, routers: 'southbound-api-router' };

export const openApi = async (t: ExecutionContext, endpoint = northbound, engine?: FakeEngine): Promise<Api> =>
  serve(t, endpoint, engine ?? (await fakeEngine()));

/** Serves any engine, including the real one; the caller closes the engine. */
export async function serve<E extends Engine>(t: ExecutionContext, endpoint: Endpoint, engine: E): Promise<Api<E>> {
  const listener = await openEndpoint(engine, endpoint, pino({ level: 'silent' }), undefined, patientLimits);
  t.teardown(() => listener.close(0));
  return {
    engine,
    port: listener.port,
    send: (method, path, request) => send(`http://127.0.0.1:${listener.port}${path}`, method, request),
    as: async (role, username = role) => issueToken(engine, await userFor(engine, role, username)),
    async session(role, username = role) {
      const user = await userFor(engine, role, username);
      return (await engine.sessions.open({ username, credential: credentialOf(user) }, 60)).token;
    },
  };
}

export const PASSWORD = 'correct-horse';
/** As `hashPassword` stores it, with low costs: hashing is slow by design. */
const hash = ['scrypt', 2, 1, 1, '', scryptSync(PASSWORD, '', 32, { N: 2, r: 1, p: 1 }).toString('base64')].join('$');

async function userFor(engine: Engine, role: string, username: string): Promise<UserRecord> {
  const known = await engine.users.get(username);
  if (known !== undefined) return known;
  const now = new Date().toISOString();
  const user = { id: username, username, password: hash, role, createdAt: now, updatedAt: now };
  await engine.users.create(user);
  return user;
}

async function send(url: string, method: string, { token, body, raw, headers = {} }: Request = {}): Promise<Answer> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  // Global classes such as FormData take some 40 ms to load.
  const isForm = typeof content === 'object' && !Buffer.isBuffer(content);
  const all = {
    ...(content !== undefined && !isForm && { 'content-type': 'application/json' }),
    ...(token && { authorization: `JWT ${token}` }),
    // Each test closes its endpoint, and a kept-alive socket would delay that.
    connection: 'close',
    ...headers,
  };
  const answer = isForm ? sendForm(url, method, all, content) : exchange(url, { method, headers: all, content });
  const { status, headers: received, text } = await answer;
  const get = (name: string) => received[name.toLowerCase()]?.toString() ?? null;
  return {
    status,
    headers: { get },
    body: get('content-type')?.includes('json') && text !== '' ? JSON.parse(text) : text,
  };
}

async function sendForm(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: FormData,
): Promise<Received> {
  const answer = await fetch(url, { method, headers, body });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
}
