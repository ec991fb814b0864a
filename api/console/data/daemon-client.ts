/**
 * The requests of the console: same origin, with the token in a header. Only the memory of this page holds it; the cookie of
 * the session, which no script can read, is sent with the log-in, the log-out, and `resumedToken` only.
 */
import { signal } from '@preact/signals';
import {
  type ApiAnswer,
  answerOf,
  PASSING,
  parseJson,
  pathOf,
  RESPONSE_TIMEOUT_MS,
  type RequestParts,
  Requests,
  SILENT_MS,
} from '../../client/requests.ts';
import type { RouteTypes } from '../../client/route-types.ts';
import type { HttpMethod } from '../../http/route.ts';
import { RequestError } from './request-error.ts';

/** undefined: not logged in. */
export const token = signal<string | undefined>();
/** Whether the last request had no answer. */
export const isDaemonAway = signal(false);

class ConsoleRequests extends Requests {
  async stream(path: RouteTypes['path'], parts: RequestParts, headers: Record<string, string>, signal: AbortSignal) {
    const answer = await fetchAnswer(pathOf(path, parts), { headers: { ...authorization(), ...headers }, signal });
    if (!answer.ok) throw errorOf(answer.status, await answer.text());
    return chunksOf(answer);
  }

  isPassing(error: unknown): boolean {
    return !(error instanceof RequestError) || error.status === 0 || PASSING.includes(error.status);
  }

  oldestOf(error: unknown): number | undefined {
    return error instanceof RequestError ? error.oldest : undefined;
  }

  /** Sends bytes, such as a pack, and returns the answer's body. */
  async upload(
    method: 'PUT' | 'POST',
    path: RouteTypes['path'],
    file: Blob,
    parts: RequestParts = {},
  ): Promise<unknown> {
    const headers = { ...authorization(), 'content-type': file.type || 'application/octet-stream' };
    return (await exchange(pathOf(path, parts), { method, headers, body: file })).body;
  }

  protected async json<T>(method: HttpMethod, path: string, parts: RequestParts): Promise<ApiAnswer<T>> {
    const body = parts.body === undefined ? null : JSON.stringify(parts.body);
    const headers = { ...authorization(), ...(body !== null && { 'content-type': 'application/json' }) };
    return (await exchange(pathOf(path, parts), { method, headers, body }, parts.limitMs)) as ApiAnswer<T>;
  }
}

export const client = new ConsoleRequests();

const authorization = (): Record<string, string> =>
  token.value === undefined ? {} : { authorization: `Bearer ${token.value}` };

async function exchange(path: string, init: RequestInit, limitMs = RESPONSE_TIMEOUT_MS): Promise<ApiAnswer<unknown>> {
  const answer = await fetchAnswer(path, { ...init, signal: AbortSignal.timeout(limitMs) });
  const text = await answer.text().catch(noAnswer);
  if (!answer.ok) throw errorOf(answer.status, text);
  return answerOf(answer.status, (name) => answer.headers.get(name), text);
}

async function fetchAnswer(path: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(path, {
    ...init,
    cache: 'no-store',
    credentials: credentialsOf(path),
    redirect: 'error',
  }).catch(noAnswer);
  isDaemonAway.value = false;
  return answer;
}

const credentialsOf = (path: string): RequestCredentials => (/^\/login\b/.test(path) ? 'same-origin' : 'omit');

/** The token of the browser's session. @throws RequestError */
export async function resumedToken(): Promise<string | undefined> {
  const { body } = await exchange('/login/session', { headers: { 'x-requested-with': 'nodewright' } });
  return (body as { token: string } | undefined)?.token;
}

function noAnswer(): never {
  isDaemonAway.value = true;
  throw new RequestError(0, undefined);
}

/** A token that has ended is forgotten, so that the page asks for the password. */
function errorOf(status: number, text: string): RequestError {
  if (status === 401) token.value = undefined;
  return new RequestError(status, parseJson(text));
}

/** Ends, as if the daemon had ended it, when nothing has come for a while. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const silence = setTimeout(() => void reader.cancel(), SILENT_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
