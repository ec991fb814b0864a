/**
 * The BMC of one machine: a Redfish service (DSP0266) without a socket. Documents are made for each request, from the model
 * and the state of the machine; only sessions are kept here.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../../vocabulary/json.ts';
import type { AccountState } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import type { BmcCall, BmcChange, BmcOptions, BmcReply, BmcRoute } from './bmc-call.ts';
import { BmcRejection, badRequest } from './bmc-rejection.ts';
import type { BmcAnswer, BmcRequest } from './bmc-request.ts';
import { collectionPage } from './collection-page.ts';
import { ROOT_PATH, senderOf } from './documents.ts';
import { accessDenied, BmcLogins, rolePrivileges } from './logins.ts';
import { documentWithRecording } from './recorded-documents.ts';
import { routesAt } from './routes.ts';
import { metadataText } from './schema-versions.ts';
import { monitorStatus } from './tasks.ts';

/** A slow BMC answers after this time of the host, whatever the speed: it is what clients wait for. */
const SLOW_MS = 10_000;
const METADATA = `${ROOT_PATH}/$metadata`;

export class MachineBmc {
  readonly #machine: Machine;
  readonly #options: BmcOptions;
  readonly #logins: BmcLogins;

  constructor(machine: Machine, options: BmcOptions = {}) {
    this.#machine = machine;
    this.#options = options;
    this.#logins = new BmcLogins(machine);
  }

  /**
   * @param signal ends the wait of a slow BMC @returns `silent`: the request is never answered
   * @throws the reason of the signal; the error of a state that could not be saved
   */
  async answer(request: BmcRequest, signal?: AbortSignal): Promise<BmcAnswer | 'silent'> {
    const { name, around } = this.#machine;
    await this.#machine.settleTasks();
    if (this.#isAway() || around.faults.has(name, 'silent')) return 'silent';
    if (around.faults.has(name, 'slow')) await sleep(SLOW_MS, undefined, { ref: false, ...(signal && { signal }) });
    return this.#answerOrReject(request);
  }

  /** It restarts; its sessions are gone. */
  #isAway(): boolean {
    const { bmc } = this.#machine.state;
    if (bmc.restartsUntil === undefined) return false;
    this.#logins.endAll();
    if (this.#machine.around.time.now() < bmc.restartsUntil) return true;
    delete bmc.restartsUntil;
    return false;
  }

  async #answerOrReject(request: BmcRequest): Promise<BmcAnswer> {
    const { method, headers } = request;
    try {
      if (this.#machine.around.faults.has(this.#machine.name, '503'))
        throw new BmcRejection(503, 'ServiceTemporarilyUnavailable', ['30'], { headers: { 'Retry-After': '30' } });
      const version = headers['odata-version'];
      if (version !== undefined && version !== '4.0') throw new BmcRejection(412, 'HeaderInvalid', ['OData-Version']);
      return await this.#answerOfRow(request);
    } catch (error) {
      if (!(error instanceof BmcRejection)) throw error;
      return bmcAnswerOf(method, { status: error.status, body: error.body, headers: error.headers });
    }
  }

  async #answerOfRow(request: BmcRequest): Promise<BmcAnswer> {
    const { method } = request;
    const [said = '', query = ''] = request.path.split('?', 2);
    const path = resourcePath(method, said);
    if (path === METADATA && (method === 'GET' || method === 'HEAD')) return metadataAnswer(method);
    const rows = routesAt(path, this.#machine.facts.model);
    const isOpen = rows.some(
      ({ route }) => route.isPublic === true || (route.isPublic === 'post' && method === 'POST'),
    );
    const account = isOpen ? undefined : this.#logins.accountOf(request);
    // Without a log-in, the answer does not say which resources exist.
    if (!isOpen && account === undefined) throw accessDenied();
    const call = rows
      .map(({ route, params }) => ({ route, it: this.#call(request, path, params, account) }))
      .find(({ route, it }) => route.has?.(it) !== false);
    const isRead = method === 'GET' || method === 'HEAD';
    if (call !== undefined) {
      return isRead ? readAnswer(call.route, call.it, query) : this.#runChange(call.route, call.it);
    }
    const recorded = documentWithRecording(this.#call(request, path, {}, account), undefined);
    if (recorded === undefined) throw new BmcRejection(404, 'ResourceMissingAtURI', [path.slice(0, 200)]);
    const route: BmcRoute = { path, get: () => recorded };
    if (!isRead) throw notAllowed(route);
    return readAnswer(route, this.#call(request, path, {}, account), query);
  }

  #call(request: BmcRequest, path: string, params: Record<string, string>, account: AccountState | undefined): BmcCall {
    const machine = this.#machine;
    return {
      machine,
      model: machine.facts.model,
      bmc: machine.state.bmc,
      options: this.#options,
      logins: this.#logins,
      now: machine.around.time.now(),
      path,
      params,
      body: {},
      request,
      account,
    };
  }

  async #runChange(route: BmcRoute, call: BmcCall): Promise<BmcAnswer> {
    const change = changeOf(route, call.request.method);
    if (change === undefined) throw notAllowed(route);
    try {
      return await this.#checkedChange(route, call, change);
    } catch (error) {
      if (error instanceof BmcRejection && error.status < 500) await noteRejection(route, call);
      throw error;
    }
  }

  async #checkedChange(route: BmcRoute, call: BmcCall, change: BmcChange): Promise<BmcAnswer> {
    const { request, account } = call;
    const { needs = 'ConfigureComponents' } = route;
    if (account !== undefined && !rolePrivileges[account.role].includes(needs))
      throw new BmcRejection(403, 'InsufficientPrivilege');
    const match = request.headers['if-match'];
    if (match !== undefined && match !== '*' && route.get !== undefined && match !== etagOf(documentOf(route, call)))
      throw new BmcRejection(412, 'PreconditionFailed');
    const body = route.takesImage === true ? {} : bmcBodyOf(request);
    const said = await change({ ...call, body });
    if (said.status === 200 && request.method === 'PATCH') said.body = documentOf(route, call);
    return bmcAnswerOf(request.method, route.patch === undefined ? said : withEtag(said), route);
  }
}

async function noteRejection({ ledger }: BmcRoute, call: BmcCall): Promise<void> {
  if (ledger === undefined) return;
  const what = `${call.request.method} ${call.path.split('/').at(-1)}`;
  await call.machine.save({ kind: ledger, what, outcome: 'refused', by: senderOf(call) });
}

/** A POST to the members of a collection is one to the collection (DSP0266, 7.8). */
const resourcePath = (method: string, path: string): string => {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return method === 'POST' && plain.endsWith('/Members') ? plain.slice(0, -'/Members'.length) : plain;
};

const changeOf = (route: BmcRoute, method: string): BmcChange | undefined => {
  if (method === 'POST') return route.post;
  if (method === 'PATCH') return route.patch;
  return method === 'DELETE' ? route.remove : undefined;
};

function allowOf({ get, follow, post, patch, remove }: BmcRoute): string {
  const allowed = { GET: get ?? follow, HEAD: get, POST: post, PATCH: patch, DELETE: remove };
  return Object.entries(allowed)
    .flatMap(([method, handler]) => (handler === undefined ? [] : method))
    .join(', ');
}

const notAllowed = (route: BmcRoute) =>
  new BmcRejection(405, 'OperationNotAllowed', [], { headers: { Allow: allowOf(route) } });

/** @throws BmcRejection 400, 413, 415 */
export function bmcBodyOf({ method, headers, body }: BmcRequest): JsonObject {
  if (method === 'DELETE' || body.length === 0) return {};
  const type = String(headers['content-type'] ?? 'application/json');
  if (!/^application\/json\b/i.test(type)) throw new BmcRejection(415, 'HeaderInvalid', ['Content-Type']);
  try {
    const value: unknown = JSON.parse(body.toString());
    if (isObject(value)) return value;
  } catch {
    // Refused below.
  }
  throw badRequest('MalformedJSON');
}

/** Fields that change by themselves are no part of an ETag: a client changes a resource that it has just read. */
const fleeting = new Set(['DateTime', 'PowerState', 'Status', '@odata.etag']);

const etagOf = (document: JsonObject): string => {
  const text = JSON.stringify(document, (key, value) => (fleeting.has(key) ? undefined : value));
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`;
};

const withEtag = (said: BmcReply): BmcReply =>
  said.status === 200 && said.body !== undefined
    ? {
        ...said,
        headers: { ...said.headers, ETag: etagOf(said.body) },
        body: { ...said.body, '@odata.etag': etagOf(said.body) },
      }
    : said;

const schemaLink = ({ '@odata.type': type }: JsonObject): Record<string, string> => {
  const [, schema] = /^#(.+)\.[^.]+$/.exec(String(type)) ?? [];
  return schema === undefined ? {} : { Link: `<http://redfish.dmtf.org/schemas/v1/${schema}.json>; rel=describedby` };
};

/** The document of a resource that can be read. */
const documentOf = ({ get }: BmcRoute, call: BmcCall): JsonObject => documentWithRecording(call, get?.(call)) ?? {};

function readAnswer(route: BmcRoute, call: BmcCall, query: string): BmcAnswer {
  if (route.follow !== undefined && call.request.method === 'GET') {
    const said = bmcAnswerOf('GET', { status: 200, headers: { 'Content-Type': 'text/event-stream' } }, route);
    return { ...said, follow: (send) => route.follow?.(call, send) ?? (() => {}) };
  }
  if (route.get === undefined) throw notAllowed(route);
  const body = collectionPage(documentOf(route, call), call.path, query);
  const monitor = monitorStatus(call);
  const headers = { ...monitor?.headers, ...schemaLink(body) };
  const said = { status: monitor?.status ?? 200, body, headers };
  const { request } = call;
  const isSame = request.headers['if-none-match'] === etagOf(body);
  if (isSame && monitor === undefined)
    return bmcAnswerOf(request.method, { status: 304, headers: { ETag: etagOf(body) } });
  const tagged = route.patch === undefined ? { ...said, headers: { ...headers, ETag: etagOf(body) } } : withEtag(said);
  return bmcAnswerOf(request.method, tagged, route);
}

const common = {
  'OData-Version': '4.0',
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** @param route adds the methods that its resource has */
export function bmcAnswerOf(method: string, { status, body, headers = {} }: BmcReply, route?: BmcRoute): BmcAnswer {
  const text = body === undefined ? '' : JSON.stringify(body);
  return {
    status,
    headers: {
      ...common,
      ...(route !== undefined && { Allow: allowOf(route) }),
      ...(text !== '' && { 'Content-Type': 'application/json; charset=utf-8' }),
      ...headers,
    },
    body: method === 'HEAD' ? '' : text,
  };
}

const metadataAnswer = (method: string): BmcAnswer => ({
  status: 200,
  headers: { ...common, Allow: 'GET, HEAD', 'Content-Type': 'application/xml; charset=utf-8' },
  body: method === 'HEAD' ? '' : metadataText,
});
