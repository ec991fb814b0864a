/**
 * Requests to a Kubernetes API: lists, watches and merge patches, each with a limit of time and of size. A request is repeated after an outage if a
 * repetition is harmless; a patch is, because it names the version of the object that it changes.
 */
import type { IncomingMessage } from 'node:http';
import { limitedText } from '../../../engine/vocabulary/byte-limits.ts';
import { isListOfObjects, isObject, type JsonObject, objectIn } from '../../../engine/vocabulary/json.ts';
import { withTimeLimit } from '../../../engine/vocabulary/time-limit.ts';
import { MIB } from '../../../engine/vocabulary/units.ts';
import { Connections } from '../open-request.ts';
import { sendRepeatedly } from '../remote-requests.ts';
import type { KubernetesAddress } from './kubernetes-address.ts';
import { KubernetesError, noKubernetesError, statusError, unlikeKubernetes } from './kubernetes-error.ts';
import { watchEvents } from './watch-events.ts';

type Query = Readonly<Record<string, string>>;

export interface ObjectList {
  items: JsonObject[];
  resourceVersion: string;
}

const KUBERNETES_REQUEST_MS = 30_000;
const ANSWER_BYTES = 64 * MIB;
const OBJECTS_PER_PAGE = 200;
const MAX_OBJECTS = 50_000;
/** Four times those of the objects: a page may have fewer objects than asked for, or none. */
const MAX_PAGES = (4 * MAX_OBJECTS) / OBJECTS_PER_PAGE;
/** The API ends a watch after this time; a connection that is silent for longer is dead. */
const WATCH_SECONDS = 240;

export class Kubernetes {
  readonly host: string;
  readonly #address: KubernetesAddress;
  readonly #connections: Connections;
  readonly #signal: AbortSignal;

  /** @param signal ends all requests */
  constructor(address: KubernetesAddress, signal: AbortSignal) {
    this.#address = address;
    this.host = new URL(address.url).host;
    this.#connections = new Connections(address.url.startsWith('https:'), address.ca);
    this.#signal = signal;
  }

  get(path: string): Promise<JsonObject> {
    return this.#send('GET', path);
  }

  /** @param patch has the `resourceVersion` of the object @throws KubernetesError KUBERNETES_CONFLICT if it has another one */
  patch(path: string, patch: JsonObject): Promise<JsonObject> {
    return this.#send('PATCH', path, patch);
  }

  /** Reads a list to its end, a page at a time. @throws KubernetesError KUBERNETES_GONE if that takes too long */
  async list(path: string, query: Query): Promise<ObjectList> {
    const items: JsonObject[] = [];
    let next = '';
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page = { ...query, limit: String(OBJECTS_PER_PAGE), ...(next !== '' && { continue: next }) };
      const body = await this.#send('GET', pathOf(path, page));
      const { resourceVersion, continue: following } = objectIn(body.metadata);
      if (!isListOfObjects(body.items) || typeof resourceVersion !== 'string')
        throw unlikeKubernetes(this.host, 'JSON without a list');
      if (items.length + body.items.length > MAX_OBJECTS)
        throw new KubernetesError('KUBERNETES_REJECTED', `${path} has more than ${MAX_OBJECTS} objects; narrow it`);
      for (const object of body.items) items.push(object);
      next = typeof following === 'string' ? following : '';
      if (next === '') return { items, resourceVersion };
    }
    throw unlikeKubernetes(this.host, `a list of more than ${MAX_PAGES} pages`);
  }

  /** Yields the events after a version, until the API ends the watch. @throws KubernetesError */
  async *watch(path: string, query: Query, resourceVersion: string, signal: AbortSignal): AsyncGenerator<JsonObject> {
    const following = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: String(WATCH_SECONDS) };
    const ended = AbortSignal.any([this.#signal, signal]);
    try {
      const answer = await this.#open('GET', pathOf(path, { ...query, ...following, resourceVersion }), undefined, {
        signal: ended,
        silentMs: (WATCH_SECONDS + 30) * 1_000,
      });
      if (answer.statusCode !== 200) await this.#contentOf(answer);
      yield* watchEvents(answer, this.host);
    } catch (error) {
      if (ended.aborted) throw ended.reason;
      throw noKubernetesError(error, this.host);
    }
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  #send(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    return sendRepeatedly(this.#signal, () => this.#sendOnce(method, path, body));
  }

  async #sendOnce(method: string, path: string, body: JsonObject | undefined): Promise<JsonObject> {
    const lateError = () =>
      new KubernetesError(
        'KUBERNETES_UNAVAILABLE',
        `Kubernetes at ${this.host} has not answered in ${KUBERNETES_REQUEST_MS} ms`,
      );
    return withTimeLimit(this.#signal, KUBERNETES_REQUEST_MS, lateError, async (signal) => {
      try {
        return await this.#contentOf(await this.#open(method, path, body, { signal, silentMs: KUBERNETES_REQUEST_MS }));
      } catch (error) {
        if (this.#signal.aborted) throw this.#signal.reason;
        throw noKubernetesError(signal.aborted ? signal.reason : error, this.host);
      }
    });
  }

  #open(method: string, path: string, body: JsonObject | undefined, limits: { signal: AbortSignal; silentMs: number }) {
    const token = this.#address.token();
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const content = body === undefined ? {} : { 'content-type': 'application/merge-patch+json' };
    return this.#connections.open(this.#address.url + path, {
      method,
      headers: { accept: 'application/json', ...authorization, ...content },
      body: body === undefined ? undefined : JSON.stringify(body),
      ...limits,
    });
  }

  async #contentOf(answer: IncomingMessage): Promise<JsonObject> {
    const { statusCode = 0, headers } = answer;
    const text = await limitedText(answer, ANSWER_BYTES, () =>
      unlikeKubernetes(this.host, `more than ${ANSWER_BYTES} bytes`),
    );
    const json = headers['content-type']?.startsWith('application/json') ? objectOf(text) : undefined;
    if (statusCode === 200 && json !== undefined) return json;
    // A page of Kubernetes for an unknown group is a text.
    if (statusCode >= 400) throw statusError(statusCode, json, this.host, headers['retry-after']);
    throw unlikeKubernetes(this.host, `${statusCode} without an object`);
  }
}

const pathOf = (path: string, query: Query): string => `${path}?${new URLSearchParams(query)}`;

function objectOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
