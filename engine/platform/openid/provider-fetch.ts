/**
 * Requests to a provider of OpenID Connect, for the daemon and `nw`.
 *
 * 1. They use https; http only to this machine. The same is true of the addresses that the provider's documents name.
 * 2. They end within `EXCHANGE_MS`, follow no redirect, and read no more than `DOCUMENT_LIMIT`.
 */
import { rootCertificates } from 'node:tls';
import { limitedText } from '../../vocabulary/byte-limits.ts';
import { withTimeLimit } from '../../vocabulary/time-limit.ts';
import { KIB } from '../../vocabulary/units.ts';
import { isTrustedUrl } from '../lib/trusted-url.ts';
import { undici } from '../lib/undici.ts';

const EXCHANGE_MS = 5_000;
/** Documents, keys and tokens of the large providers have less than a tenth. */
const DOCUMENT_LIMIT = 256 * KIB;

interface ProviderRequest {
  method?: string;
  headers?: Record<string, string>;
  /** A form. */
  body?: unknown;
  signal?: AbortSignal | undefined;
}

export type ProviderFetch = (url: string, request?: ProviderRequest) => Promise<Response>;

/** @param ca PEM to trust besides the usual authorities */
export function providerFetch(ca: string | undefined): ProviderFetch {
  const trust = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  return async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
    if (!isTrustedUrl(url)) throw new Error(`found the address ${url}; expected https, or http on this machine`);
    const { Agent, request } = await undici();
    const dispatcher = new Agent({ connect: trust });
    const lateError = () => new Error(`${url} gives no answer within ${EXCHANGE_MS} ms`);
    const tooLong = () => new Error(`${url} answers more than ${DOCUMENT_LIMIT} bytes`);
    try {
      return await withTimeLimit(signal, EXCHANGE_MS, lateError, async (limited) => {
        const answer = await request(url, {
          dispatcher,
          method: method as 'GET' | 'POST',
          headers,
          ...(body instanceof URLSearchParams && { body: body.toString() }),
          signal: limited,
        });
        const content = await limitedText(answer.body, DOCUMENT_LIMIT, tooLong);
        if (answer.statusCode >= 500) throw new Error(`${url} answers ${answer.statusCode}`);
        const { 'content-type': type = '' } = answer.headers;
        const hasBody = ![204, 205, 304].includes(answer.statusCode);
        return new Response(hasBody ? content : null, {
          status: answer.statusCode,
          headers: { 'content-type': String(type) },
        });
      });
    } finally {
      await dispatcher.destroy();
    }
  };
}
