/**
 * The obms of nodes, as acts use them. Owns what this process has with BMCs: its circuit breakers and its sessions.
 *
 * 1. An obm's config is read, and its secrets are opened, when an act asks for the obm, and not kept.
 * 2. Limits are this process's own; another daemon that speaks to the same BMC has its own.
 */
import { type ObmService, obmServices } from '../define/node.ts';
import { ObmError, type Redfish, type RedfishAccess } from '../define/obm.ts';
import { REDACTED } from '../define/sealed.ts';
import { type BreakerLimits, CircuitBreakers } from './circuit-breaker.ts';
import type { DriverLimits, ObmDriver } from './driver.ts';
import { drivers } from './drivers.ts';
import { ipmiRun } from './ipmi.ts';
import type { NoteSecret } from './note-secret.ts';
import { RedfishAt } from './redfish-at.ts';
import { newsOf, type SelMark, type SelNews } from './sel.ts';
import { RedfishSessions } from './sessions.ts';
import { bmcOf, redfishOf } from './settings.ts';
import { secretsOf } from './shown-config.ts';

export interface ObmLimits extends BreakerLimits {
  /** Of IPMI, where the obm does not say. */
  cipherSuite: number;
}

export interface ObmsPort {
  limits: ObmLimits;
  /** Whole, its secrets too. */
  config(node: string, service: string): Promise<Record<string, unknown> | undefined>;
  /** The services that the node has obms of. */
  services(node: string): Promise<string[]>;
  /** The address that a user entered for a MAC in a lookup. */
  addressOf(mac: string): Promise<string | undefined>;
  /** A session that could not be ended. */
  failed(error: unknown): void;
  /** ms since the epoch, as timers have it. */
  now(): number;
}

const IPMI = 'ipmi-obm-service';
const REDFISH = 'redfish-obm-service';
const MAC = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i;

export class Obms {
  readonly #port: ObmsPort;
  readonly #limits: Omit<DriverLimits, 'note'>;

  constructor(port: ObmsPort) {
    this.#port = port;
    const { timeoutMs, cipherSuite } = port.limits;
    const breakers = new CircuitBreakers(port.limits, port.now);
    const sessions = new RedfishSessions({ timeoutMs, failed: port.failed });
    this.#limits = { breakers, sessions, timeoutMs, cipherSuite };
  }

  /** @param service absent: the first that the node has @throws ObmError OBM_MISSING, OBM_INVALID */
  async of(node: string, service?: string, note: NoteSecret = () => {}): Promise<ObmDriver> {
    const name = service ?? (await this.#first(node));
    const config = name === undefined ? undefined : await this.#port.config(node, name);
    if (name === undefined || config === undefined) throw missing(node, name);
    if (!isService(name)) throw unknownService(node, name);
    secretsOf(name, config).forEach(note);
    return drivers[name](await this.#addressed(config), { ...this.#limits, note });
  }

  async #first(node: string): Promise<string | undefined> {
    const services = await this.#port.services(node);
    return obmServices.find((service) => services.includes(service));
  }

  /** The field names BMCs by their MAC too. Their password goes to the address that a user entered for it, to no other. */
  async #addressed(config: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { host } = config;
    if (typeof host !== 'string' || !MAC.test(host)) return config;
    const address = await this.#port.addressOf(host);
    if (address !== undefined) return { ...config, host: address };
    const advice = 'enter or confirm its lookup (POST or PATCH /lookups), or give the obm an address';
    throw new ObmError('OBM_UNREACHABLE', `no user entered an address for the BMC ${host}; ${advice}`);
  }

  /** @throws ObmError OBM_MISSING when the access needs an obm and the node has none */
  async redfish(node: string, access: RedfishAccess = {}, note: NoteSecret = () => {}): Promise<Redfish> {
    const config = await this.#port.config(node, REDFISH);
    const { origin, username, password } = access;
    if (config === undefined && [origin, username, password].includes(undefined)) throw missing(node, REDFISH);
    const given = Object.fromEntries(Object.entries(access).filter(([, value]) => value !== undefined));
    const { origin: uri, ...others } = given;
    const known = config === undefined ? {} : await this.#addressed(config);
    const { target } = redfishOf({ ...known, ...(uri !== undefined && { uri }), ...others });
    if (config !== undefined && password === undefined && target.origin !== redfishOf(known).target.origin) {
      throw astray(target.origin);
    }
    note(target.password);
    return new RedfishAt(target, { ...this.#limits, note });
  }

  /** What is new in the log of the node's BMC. @throws ObmError */
  async logOf(node: string, mark: SelMark | undefined, signal: AbortSignal): Promise<SelNews> {
    const config = await this.#port.config(node, IPMI);
    if (config === undefined) throw missing(node, IPMI);
    const bmc = bmcOf(await this.#addressed(config), this.#limits.cipherSuite);
    try {
      return await newsOf(ipmiRun(bmc, this.#limits), mark, signal);
    } catch (error) {
      throw without(secretsOf(IPMI, config), error);
    }
  }

  /** Ends the sessions that are open. */
  close(): Promise<void> {
    return this.#limits.sessions.close();
  }
}

/** The same error; a BMC may quote what it was asked with. */
function without(secrets: readonly string[], error: unknown): unknown {
  if (!(error instanceof ObmError)) return error;
  const message = secrets.reduce(
    (text, secret) => (secret === '' ? text : text.replaceAll(secret, REDACTED)),
    error.message,
  );
  return Object.assign(error, { message });
}

const isService = (name: string): name is ObmService => (obmServices as readonly string[]).includes(name);

const unknownService = (node: string, name: string) =>
  new ObmError(
    'OBM_INVALID',
    `the node ${node} has an obm of the service ${name}; expected ${obmServices.join(', ')}`,
    {
      retry: false,
    },
  );

/** Secrets of the obm go to its BMC and nowhere else. */
const astray = (origin: string) =>
  new ObmError('OBM_INVALID', `${origin} is not where the node's ${REDFISH} is; give a credential for it`, {
    retry: false,
  });

const missing = (node: string, service: string | undefined) =>
  new ObmError('OBM_MISSING', `the node ${node} has no ${service ?? 'obm'}; put one to /nodes/${node}/obm`, {
    retry: false,
  });
