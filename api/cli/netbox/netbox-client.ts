/**
 * Requests to the REST API of NetBox. Each has a limit of time and of size, and is repeated after an outage if a repetition is harmless. Links
 * in answers are not followed: the token is sent to the configured address only.
 */
import { limitedText } from '../../../engine/vocabulary/byte-limits.ts';
import { isListOfObjects, isObject, type JsonObject } from '../../../engine/vocabulary/json.ts';
import { withTimeLimit } from '../../../engine/vocabulary/time-limit.ts';
import { MIB } from '../../../engine/vocabulary/units.ts';
import { Connections } from '../open-request.ts';
import { sendRepeatedly } from '../remote-requests.ts';
import type { NetBoxAddress } from './netbox-address.ts';
import { answerError, NetBoxError, noAnswerError, unexpectedError } from './netbox-error.ts';

export type NetBoxQuery = readonly (readonly [name: string, value: string])[];

const REQUEST_MS = 60_000;
const NETBOX_ANSWER_LIMIT = 64 * MIB;
const RECORDS_PER_PAGE = 200;
/** Records of one list; more devices than one daemon has nodes. */
const MAX_RECORDS = 100_000;

/** Custom fields for devices, `fields=` and nested objects are as in this version. */
const OLDEST_VERSION = 4;

export class NetBox {
  readonly host: string;
  readonly #address: NetBoxAddress;
  readonly #connections: Connections;
  readonly #signal: AbortSignal;

  /** @param signal ends all requests */
  constructor(address: NetBoxAddress, signal: AbortSignal) {
    this.#address = address;
    this.host = new URL(address.url).host;
    this.#connections = new Connections(address.url.startsWith('https:'), address.ca);
    this.#signal = signal;
  }

  /** @throws NetBoxError NETBOX_VERSION, and as all requests */
  async checkVersion(): Promise<void> {
    const version = (await this.get('status/')) as JsonObject;
    const text = version['netbox-version'];
    if (typeof text !== 'string') throw unexpectedError(this.host, 'JSON without netbox-version');
    if (Number.parseInt(text, 10) >= OLDEST_VERSION) return;
    throw new NetBoxError(
      'NETBOX_VERSION',
      `NetBox at ${this.host} is ${text.slice(0, 20)}, expected ${OLDEST_VERSION}.0 or newer; upgrade it`,
    );
  }

  get(path: string, query: NetBoxQuery = []): Promise<unknown> {
    return this.#send('GET', pathOf(path, query));
  }

  patch(path: string, body: object): Promise<unknown> {
    return this.#send('PATCH', `/api/${path}`, body);
  }

  post(path: string, body: object): Promise<unknown> {
    return this.#send('POST', `/api/${path}`, body);
  }

  /** Reads a list to its end, a page at a time. */
  async list(path: string, query: NetBoxQuery = []): Promise<JsonObject[]> {
    const records: JsonObject[] = [];
    for (;;) {
      // By id, so that a record which is added in the meantime does not move the others.
      const page: NetBoxQuery = [
        ...query,
        ['ordering', 'id'],
        ['limit', String(RECORDS_PER_PAGE)],
        ['offset', String(records.length)],
      ];
      const body = await this.get(path, page);
      const results: unknown = isObject(body) ? body.results : undefined;
      if (!isObject(body) || !isListOfObjects(results)) throw unexpectedError(this.host, 'JSON without results');
      if (records.length + results.length > MAX_RECORDS)
        throw new NetBoxError('NETBOX_REJECTED', `${path} has more than ${MAX_RECORDS} records; narrow it by --filter`);
      for (const record of results) records.push(record);
      if (typeof body.next !== 'string' || results.length === 0) return records;
    }
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  /** A POST is repeated only if NetBox says that it has not handled it. */
  #send(method: string, path: string, body?: object): Promise<unknown> {
    return sendRepeatedly(
      this.#signal,
      () => this.#sendOnce(method, path, body),
      ({ retryAfterMs }) => method !== 'POST' || retryAfterMs !== undefined,
    );
  }

  async #sendOnce(method: string, path: string, body: object | undefined): Promise<unknown> {
    const { host } = this;
    const lateError = () =>
      new NetBoxError('NETBOX_UNAVAILABLE', `NetBox at ${host} has not answered in ${REQUEST_MS} ms`);
    return withTimeLimit(this.#signal, REQUEST_MS, lateError, async (signal) => {
      try {
        return await this.#exchange(method, path, body, signal);
      } catch (error) {
        if (this.#signal.aborted) throw this.#signal.reason;
        throw noAnswerError(error, host);
      }
    });
  }

  async #exchange(method: string, path: string, body: object | undefined, signal: AbortSignal): Promise<unknown> {
    const { url, token } = this.#address;
    const headers = { accept: 'application/json', authorization: authorizationOf(token) };
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await this.#connections.open(`${url}${path}`, {
      method,
      headers: { ...headers, ...content },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      silentMs: REQUEST_MS,
    });
    const { statusCode = 0 } = answer;
    const tooLong = () => unexpectedError(this.host, `more than ${NETBOX_ANSWER_LIMIT} bytes`);
    const text = await limitedText(answer, NETBOX_ANSWER_LIMIT, tooLong);
    const json = /^application\/(?:\S+\+)?json\b/.test(answer.headers['content-type'] ?? '')
      ? parseText(text)
      : undefined;
    const isPassed = statusCode === 429 || statusCode > 501;
    if (json === undefined && !isPassed)
      throw unexpectedError(this.host, statusText(statusCode, answer.headers.location));
    if (statusCode < 200 || statusCode > 299)
      throw answerError(statusCode, json, { host: this.host, retryAfter: answer.headers['retry-after'] });
    return json;
  }
}

/** Tokens of NetBox 4.5 and newer say so at their beginning. */
const authorizationOf = (token: string): string => `${token.startsWith('nbt_') ? 'Bearer' : 'Token'} ${token}`;

function pathOf(path: string, query: NetBoxQuery): string {
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]));
  return `/api/${path}${search.size === 0 ? '' : `?${search}`}`;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const statusText = (status: number, location: string | undefined): string =>
  location === undefined ? `${status} without JSON` : `${status}, which leads to ${location.slice(0, 200)}`;
