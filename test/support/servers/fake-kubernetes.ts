/**
 * A Kubernetes API with the objects of an operator, for tests. Its 401, 404 and 409, and the 410 of a watch, have the texts of kube-apiserver 1.36; its pages and
 * bookmarks follow the conventions of the API. Its objects agree with the operators' own definitions (`operator-crds.json`).
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Ajv } from 'ajv';
import { isObject, type JsonObject, objectIn } from '../../../engine/vocabulary/json.ts';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import type { Scope } from '../ava/scope.ts';
import { Hearing } from './hearing.ts';

interface Definition {
  group: string;
  version: string;
  plural: string;
  kind: string;
  scope: 'Namespaced' | 'Cluster';
  schema: object;
}

const definitions: Definition[] = JSON.parse(readFileSync(packagePath('test/support/data/operator-crds.json'), 'utf8'));

export interface FakeKubernetes {
  readonly url: string;
  readonly token: string;
  /** All versions that clients and the operator wrote, oldest first. */
  readonly written: Hearing<JsonObject>;
  readonly requests: string[];
  /** Absent: it answers as Kubernetes does. @returns whether it has answered */
  behave: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  get(name: string): JsonObject;
  annotations(name: string): Record<string, string>;
  /** Creates or replaces an object. */
  put(object: JsonObject): void;
  /** Merges a change, as a person or the operator does. */
  change(name: string, change: JsonObject): void;
  /** Forgets all changes, so that a watch of an older version is 410, and ends all watches. */
  compact(): void;
  endWatches(): void;
}

const ajv = new Ajv({ strict: false });

export async function startFakeKubernetes(t: Scope, group: string): Promise<FakeKubernetes> {
  const server = createServer((request, response) => void store.respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const definition = definitions.find((one) => one.group === group);
  if (definition === undefined) throw new Error(`no definition of ${group}`);
  const store = new FakeStore(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, definition);
  return store;
}

class FakeStore implements FakeKubernetes {
  readonly url: string;
  readonly token = 'eyJhbGciOiJSUzI1NiJ9.fake-0123456789.signature';
  readonly written = new Hearing<JsonObject>();
  readonly requests: string[] = [];
  behave: FakeKubernetes['behave'];
  readonly #definition: Definition;
  readonly #isValid;
  readonly #objects = new Map<string, JsonObject>();
  readonly #watches = new Set<ServerResponse>();
  readonly #events: { version: number; event: JsonObject }[] = [];
  #version = 100;
  #oldest = 0;

  constructor(url: string, definition: Definition) {
    this.url = url;
    this.#definition = definition;
    this.#isValid = ajv.compile(definition.schema);
  }

  get(name: string): JsonObject {
    const object = this.#objects.get(name);
    if (object === undefined) throw new Error(`there is no object ${name}`);
    return object;
  }

  annotations(name: string): Record<string, string> {
    return objectIn(objectIn(this.get(name).metadata).annotations) as Record<string, string>;
  }

  put(object: JsonObject): void {
    const { group, version, kind, scope } = this.#definition;
    if (!this.#isValid(object))
      throw new Error(`the operator has no such object: ${ajv.errorsText(this.#isValid.errors)}`);
    this.#version += 1;
    const metadata = objectIn(object.metadata);
    const name = String(metadata.name);
    const place = scope === 'Namespaced' ? { namespace: metadata.namespace ?? 'metal3' } : {};
    const stored = {
      ...object,
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { ...metadata, ...place, uid: `uid-${name}`, resourceVersion: String(this.#version) },
    };
    this.#send({ type: this.#objects.has(name) ? 'MODIFIED' : 'ADDED', object: stored });
    this.#objects.set(name, stored);
    this.written.add(stored);
  }

  change(name: string, change: JsonObject): void {
    this.put(merged(this.get(name), change));
  }

  compact(): void {
    this.#oldest = this.#version;
    this.#events.length = 0;
    this.endWatches();
  }

  endWatches(): void {
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
  }

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    this.requests.push(`${method} ${url}`);
    if (this.behave?.(request, response)) return;
    const { pathname, searchParams: query } = new URL(url, this.url);
    if (request.headers.authorization !== `Bearer ${this.token}`)
      return this.#fail(response, 401, 'Unauthorized', 'Unauthorized');
    if (pathname === '/apis')
      return this.#answer(response, {
        kind: 'APIGroupList',
        groups: [{ name: 'apps' }, { name: this.#definition.group }],
      });
    const { group, version, plural } = this.#definition;
    const [, name] = new RegExp(`^/apis/${group}/${version}/(?:namespaces/[^/]+/)?${plural}(?:/([^/]+))?$`).exec(
      pathname,
    ) ?? [pathname];
    if (!pathname.includes(`/${plural}`))
      return this.#fail(response, 404, 'NotFound', 'the server could not find the requested resource');
    if (name === undefined)
      return query.get('watch') === 'true' ? this.#watch(response, query) : this.#list(response, query);
    const object = this.#objects.get(name);
    if (object === undefined) return this.#fail(response, 404, 'NotFound', `${plural}.${group} "${name}" not found`);
    if (method === 'PATCH') return this.#patch(response, name, object, objectIn(await json(request)));
    return this.#answer(response, object);
  }

  #patch(response: ServerResponse, name: string, object: JsonObject, patch: JsonObject): void {
    const { group, plural } = this.#definition;
    const version = objectIn(patch.metadata).resourceVersion;
    if (version !== undefined && version !== objectIn(object.metadata).resourceVersion) {
      this.#fail(
        response,
        409,
        'Conflict',
        `Operation cannot be fulfilled on ${plural}.${group} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
      );
      return;
    }
    // The status is a resource of its own.
    this.put(merged(object, { ...patch, status: {} }));
    this.#answer(response, this.get(name));
  }

  #list(response: ServerResponse, query: URLSearchParams): void {
    const [from, limit] = [Number(query.get('continue') ?? 0), Math.min(2, Number(query.get('limit') ?? 500))];
    const all = [...this.#objects.values()];
    const metadata = {
      resourceVersion: String(this.#version),
      ...(from + limit < all.length && { continue: String(from + limit) }),
    };
    this.#answer(response, { kind: `${this.#definition.kind}List`, metadata, items: all.slice(from, from + limit) });
  }

  #watch(response: ServerResponse, query: URLSearchParams): void {
    const after = Number(query.get('resourceVersion'));
    response.writeHead(200, { 'content-type': 'application/json' });
    if (after < this.#oldest) {
      const message = `too old resource version: ${after} (${this.#oldest})`;
      response.end(`${JSON.stringify({ type: 'ERROR', object: statusOf(410, 'Expired', message) })}\n`);
      return;
    }
    for (const { version, event } of this.#events) if (version > after) response.write(`${JSON.stringify(event)}\n`);
    const bookmark = { kind: this.#definition.kind, metadata: { resourceVersion: String(this.#version) } };
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: bookmark })}\n`);
    this.#watches.add(response);
    response.on('close', () => this.#watches.delete(response));
  }

  #send(event: JsonObject): void {
    this.#events.push({ version: this.#version, event });
    for (const watch of this.#watches) watch.write(`${JSON.stringify(event)}\n`);
  }

  #answer(response: ServerResponse, body: object, status = 200): void {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  #fail(response: ServerResponse, code: number, reason: string, message: string): void {
    this.#answer(response, statusOf(code, reason, message), code);
  }
}

const statusOf = (code: number, reason: string, message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
});

/** A JSON merge patch (RFC 7386). */
function merged(target: JsonObject, patch: JsonObject): JsonObject {
  const result = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = isObject(value) ? merged(objectIn(result[name]), value) : value;
  }
  return result;
}
