/**
 * A Redfish service of one server, following DSP0266: sessions with a token and a location, a system with a reset
 * action, boot override, a light, and a system event log with its manager. It records open sessions and changes.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Scope } from '../ava/scope.ts';
import { Hearing } from '../servers/hearing.ts';
import {
  type Asked,
  found,
  headersOf,
  link,
  notAllowed,
  publicDocument,
  ROOT,
  rejection,
  type Said,
} from './redfish-protocol.ts';
import { typedResource } from './redfish-types.ts';

const [USER, PASSWORD] = ['root', 'calvin-and-hobbes'];
const SYSTEM = '/redfish/v1/Systems/437XR1138R2';
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const EVENTS = '/redfish/v1/EventService';
const SUBSCRIPTIONS = '/redfish/v1/EventService/Subscriptions';
const MANAGER = '/redfish/v1/Managers/1';
const BMC_RESET = `${MANAGER}/Actions/Manager.Reset`;
const LOG = `${MANAGER}/LogServices/SEL`;

export interface RedfishOptions {
  tls?: { cert: Buffer; key: Buffer };
  /** Where the allowed reset types are listed. */
  types?: 'beside' | 'info' | 'nowhere';
  /** The allowed reset types. */
  resets?: string[];
  /** Additional systems. */
  others?: string[];
  led?: 'LocationIndicatorActive' | 'IndicatorLED';
  /** false: credentials are sent with each request. */
  sessions?: boolean;
  /** More fields of the service root, and of the system. */
  root?: object;
  system?: object;
  /** Vendor extensions: called first, for authenticated requests; undefined: not one of its resources. */
  vendor?: (asked: Asked) => Said | undefined;
}

/**
 * `silent`: it is performed, and no request is answered for this time. `late`: the same, but performed at the end.
 * `cut`: it is performed, and the connection closes without an answer. `broken`: it is performed, and the answer is
 * 500. `expired`: its session has ended, so it is not performed.
 */
export type Trouble = { kind: 'silent' | 'late'; ms: number } | { kind: 'cut' | 'broken' | 'expired' };

const SubscriptionType = 'RedfishEvent';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;

export class RedfishService {
  /** All changes, oldest first, such as `reset On`. */
  readonly done = new Hearing<string>();
  /** Every request. */
  readonly asked: Asked[] = [];
  power: 'On' | 'Off' | 'PoweringOff' = 'Off';
  entries = 3;
  url = '';
  /** Requests for these paths are never answered. */
  silent: RegExp | undefined;
  /** It answers nothing after it was restarted, beginning with that request. */
  silentAfterReset = false;
  /** The fault of the next reset action; later ones work. */
  trouble: Trouble | undefined;
  #quiet: Promise<unknown> = Promise.resolve();
  /** Subscriptions by path. */
  readonly subscriptions = new Map<string, Record<string, unknown>>();
  eventsEnabled = true;
  #subscribed = 0;
  readonly #sessions = new Map<string, string>();
  readonly #options: RedfishOptions;

  constructor(options: RedfishOptions) {
    this.#options = options;
  }

  /** Config of a `redfish-obm-service`. */
  get config() {
    return { uri: this.url, username: USER, password: PASSWORD };
  }

  get open(): number {
    return this.#sessions.size;
  }

  /** Number of sessions opened. */
  opened = 0;

  /** Ends all sessions, as a BMC does when it restarts or after a timeout. */
  expire(): void {
    this.#sessions.clear();
  }

  readonly listen = (request: IncomingMessage, response: ServerResponse): void => {
    this.#hear(request, response).catch(() => response.destroy()); // the sender is gone
  };

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { method = '', url: path = '', headers } = request;
    const asked = { method, path, headers, text, body: parsed(text) };
    this.asked.push(asked);
    await this.#quiet;
    const trouble = path === RESET ? this.#troubled() : undefined;
    const { kind } = trouble ?? {};
    if (kind === 'expired') this.expire();
    if (kind === 'late') await this.#quiet;
    const answer = publicDocument(asked, this.#root()) ?? this.#answer(asked);
    await this.#quiet;
    if (kind === 'cut') request.socket.destroy();
    if (this.silent?.test(path)) return;
    const said = kind === 'broken' ? rejection(500, 'Something went wrong') : answer;
    response.writeHead(said.status, headersOf(said));
    const { body = '' } = said;
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  #troubled(): Trouble | undefined {
    const { trouble } = this;
    this.trouble = undefined;
    if (trouble !== undefined && 'ms' in trouble) this.#quiet = setTimeout(trouble.ms, undefined, { ref: false });
    return trouble;
  }

  #answer(asked: Asked): Said {
    const { method, path } = asked;
    if (method === 'POST' && path === SESSIONS && this.#options.sessions !== false) return this.#login(asked);
    const { authorization, 'x-auth-token': token = '' } = asked.headers;
    const basic = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
    if (authorization !== basic && !this.#sessions.has(String(token)))
      return rejection(401, 'There is no valid session');
    const own = this.#options.vendor?.(asked);
    if (own !== undefined) return own;
    if (method === 'DELETE' && this.subscriptions.delete(path))
      return this.#did(`unsubscribe ${path.split('/').at(-1)}`);
    if (method === 'DELETE') return this.#logout(path);
    return method === 'GET' ? this.#get(path) : this.#change(asked);
  }

  #root(): object {
    const { sessions = true } = this.#options;
    return {
      ...link(ROOT),
      '@odata.type': '#ServiceRoot.v1_5_0.ServiceRoot',
      Id: 'RootService',
      Name: 'A BMC',
      RedfishVersion: '1.6.0',
      UUID: '92384634-2938-2342-8820-489239905423',
      Systems: link('/redfish/v1/Systems'),
      Managers: link('/redfish/v1/Managers'),
      EventService: link(EVENTS),
      ...this.#options.root,
      ...(sessions && { Links: { Sessions: link(SESSIONS) } }),
    };
  }

  #login({ body }: Asked): Said {
    if (body.UserName !== USER || body.Password !== PASSWORD) return rejection(401, 'Wrong credentials');
    this.opened += 1;
    const token = randomBytes(16).toString('hex');
    const location = `${SESSIONS}/${this.opened}`;
    this.#sessions.set(token, location);
    return { status: 201, headers: { 'x-auth-token': token, location }, body: sessionAt(location) };
  }

  #logout(path: string): Said {
    const [token] = [...this.#sessions].find(([, location]) => location === path) ?? [];
    if (token === undefined) return rejection(404, 'There is no such session');
    this.#sessions.delete(token);
    return { status: 204 };
  }

  #get(path: string): Said {
    const { types, resets = ['On', 'ForceOff', 'GracefulShutdown', 'ForceRestart'], others = [] } = this.#options;
    const resources: Record<string, object> = {
      '/redfish/v1/Systems': { Members: [link(SYSTEM), ...others.map(link)] },
      [SYSTEM]: this.#system(types ?? 'beside', resets),
      [`${SYSTEM}/ResetActionInfo`]: { Parameters: [{ Name: 'ResetType', AllowableValues: resets }] },
      '/redfish/v1/Managers': { Members: [link(MANAGER)] },
      [MANAGER]: {
        LogServices: link(`${MANAGER}/LogServices`),
        Actions: {
          '#Manager.Reset': { target: BMC_RESET, 'ResetType@Redfish.AllowableValues': ['GracefulRestart'] },
        },
      },
      [`${MANAGER}/LogServices`]: { Members: [link(`${MANAGER}/LogServices/Audit`), link(LOG)] },
      [`${MANAGER}/LogServices/Audit`]: { Id: 'Audit', LogEntryType: 'Event', Actions: clear('Audit') },
      [SESSIONS]: { Members: [...this.#sessions.values()].map(link) },
      ...Object.fromEntries([...this.#sessions.values()].map((location) => [location, sessionAt(location)])),
      [EVENTS]: { ServiceEnabled: this.eventsEnabled, Subscriptions: link(SUBSCRIPTIONS) },
      [SUBSCRIPTIONS]: { Members: [...this.subscriptions.keys()].map(link) },
      ...Object.fromEntries([...this.subscriptions].map(([place, body]) => [place, { SubscriptionType, ...body }])),
      [LOG]: { Id: 'SEL', LogEntryType: 'SEL', Actions: clear('SEL') },
    };
    const resource = resources[path];
    return resource === undefined ? rejection(404, 'There is no such resource') : found(typedResource(path, resource));
  }

  #system(types: RedfishOptions['types'], resets: string[]): object {
    const { led = 'LocationIndicatorActive' } = this.#options;
    return {
      '@odata.etag': 'W/"1"',
      PowerState: this.power,
      ...this.#options.system,
      [led]: led === 'IndicatorLED' ? 'Off' : false,
      Boot: { 'BootSourceOverrideTarget@Redfish.AllowableValues': ['None', 'Pxe', 'Hdd', 'Cd'] },
      Links: { ManagedBy: [link(MANAGER)] },
      Actions: {
        '#ComputerSystem.Reset': {
          target: RESET,
          ...(types === 'beside' && { 'ResetType@Redfish.AllowableValues': resets }),
          ...(types === 'info' && { '@Redfish.ActionInfo': `${SYSTEM}/ResetActionInfo` }),
        },
      },
    };
  }

  #change({ method, path, body, headers }: Asked): Said {
    if (path === RESET) return this.#reset(String(body.ResetType));
    if (path === BMC_RESET) return this.#resetBmc(String(body.ResetType));
    if (method === 'POST' && path === SUBSCRIPTIONS) return this.#subscribe(body);
    if (method === 'PATCH' && path === EVENTS) return this.#switchEvents(body);
    if (path === `${LOG}/Actions/LogService.ClearLog`) this.entries = 0;
    else if (method !== 'PATCH' || path !== SYSTEM) return notAllowed('GET', 'HEAD');
    else if (headers['if-match'] !== 'W/"1"') return rejection(412, 'The ETag does not match');
    this.done.add(method === 'PATCH' ? JSON.stringify(body) : 'clear SEL');
    return { status: 204 };
  }

  /** Checks the required fields and the protocol (EventDestination). */
  #subscribe(body: Record<string, unknown>): Said {
    if (typeof body.Destination !== 'string' || body.Protocol !== 'Redfish')
      return rejection(400, 'The subscription is not valid');
    this.#subscribed += 1;
    const place = `${SUBSCRIPTIONS}/${this.#subscribed}`;
    this.subscriptions.set(place, { ...body, Id: String(this.#subscribed) });
    this.done.add(`subscribe ${this.#subscribed}`);
    return { status: 201, headers: { location: place } };
  }

  #switchEvents({ ServiceEnabled: enabled }: Record<string, unknown>): Said {
    this.eventsEnabled = enabled === true;
    return this.#did(`events ${this.eventsEnabled ? 'on' : 'off'}`);
  }

  #did(what: string): Said {
    this.done.add(what);
    return { status: 204 };
  }

  /** It has no sessions afterwards. */
  #resetBmc(type: string): Said {
    if (this.silentAfterReset) this.silent = /./;
    this.expire();
    return this.#did(`reset bmc ${type}`);
  }

  #reset(type: string): Said {
    this.done.add(`reset ${type}`);
    if (type === 'On' && this.power === 'On') return rejection(409, 'The system is on already');
    if (type === 'On') this.power = 'On';
    if (type === 'ForceOff' || type === 'GracefulShutdown') this.power = 'Off';
    return { status: 204 };
  }
}

const sessionAt = (location: string) => typedResource(location, { Name: 'A session', UserName: USER });

function parsed(text: string): Record<string, unknown> {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}

const clear = (log: string) => ({
  '#LogService.ClearLog': { target: `${MANAGER}/LogServices/${log}/Actions/LogService.ClearLog` },
});

/** Stopped when the test ends. */
export async function startRedfish(t: Scope, options: RedfishOptions = {}): Promise<RedfishService> {
  const service = new RedfishService(options);
  const { tls } = options;
  const server = tls === undefined ? createServer(service.listen) : createTlsServer(tls, service.listen);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  service.url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return service;
}
