/** Requests from other addresses of this machine: each 127.x.y.z is a separate sender to the daemon. */
import { Agent, request } from 'undici';
import type { Scope } from '../ava/scope.ts';
import type { Answer, Request, Send } from './api.ts';

/** @param port of the endpoint, which listens on 127.0.0.1 @param localAddress of the sender */
export function senderFrom(t: Scope, port: number, localAddress: string): Send {
  const dispatcher = new Agent({ localAddress });
  t.teardown(() => dispatcher.destroy());
  return async (method, path, { body, raw, headers = {} }: Request = {}): Promise<Answer> => {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      method: method as 'GET',
      dispatcher,
      headers: { ...(content !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(content !== undefined && { body: content as string }),
    });
    const text = await answer.body.text();
    const given = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const isJson = String(answer.headers['content-type']).includes('json') && text !== '';
    return { status: answer.statusCode, headers: new Headers(given), body: isJson ? JSON.parse(text) : text };
  };
}

/** Returns the node key in a profile, or undefined. */
export const keyIn = (script: string): string | undefined => /nodewright\.key=(\S+)/.exec(script)?.[1];
export const nodeIn = (script: string): string => /nodewright\.node=(\S+)/.exec(script)?.[1] ?? '';
