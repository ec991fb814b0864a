/**
 * The obms of nodes, as activities use them. Owns this process's state for BMCs: circuit breakers and sessions.
 *
 * 1. An obm's config is read and decrypted when an activity asks for the obm, and not kept.
 * 2. Limits apply per process; other daemons that use the same BMC have their own.
 */

import { type ObmService, obmServices } from '../../define/node.ts';
import { type BmcAccount, ObmError, type PowerState, type Racadm, type RedfishAccess } from '../../define/obm.ts';
import { now } from '../../platform/lib/clock.ts';
import { REDACTED } from '../../vocabulary/encrypted-values.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';
import type { ConsoleSource } from '../../vocabulary/states.ts';
import { optionAdvice } from '../redfish/access-advice.ts';
import type { AccountDriver } from './account-driver.ts';
import { RotatedAccount, type RotatingObms } from './bmc-account.ts';
import { RedfishSessions } from './bmc-sessions.ts';
import type { BreakerLimits } from './circuit-breaker.ts';
import { CircuitBreakers } from './circuit-breakers.ts';
import { describedConsole } from './described-console.ts';
import type { DriverLimits, ObmDriver } from './driver.ts';
import { drivers } from './drivers.ts';
import { ipmiRun } from './ipmi.ts';
import { ipmiAccount } from './ipmi-account.ts';
import type { NoteSecret } from './note-secret.ts';
import { bmcOf, mediaBootOf, redfishOf } from './obm-settings.ts';
import { isOutletService } from './outlet-driver.ts';
import { pduOf } from './pdu-settings.ts';
import { type Idrac, racadm } from './racadm.ts';
import { redfishAccount } from './redfish-account.ts';
import { RedfishAt, type RedfishDriver } from './redfish-at.ts';
import { redfishPduOf } from './redfish-pdu-settings.ts';
import { newsOf, type SelMark, type SelNews } from './sel.ts';
import { SerialConsole, type SerialPort } from './serial-console.ts';
import { configSecrets } from './shown-config.ts';
import { type SnmpTarget, snmpOf } from './snmp-settings.ts';

export interface ObmLimits extends BreakerLimits {
  /** IPMI cipher suite if the obm does not specify one. */
  cipherSuite: number;
}

/** The obms and lookups of nodes, which are in `inventory/nodes/`. */
export interface ObmDriversPort {
  obms: {
    /** Returns the complete config, including secrets. */
    config(node: string, service: string): Promise<JsonObject | undefined>;
    /** Returns the services of the node's obms. */
    services(node: string): Promise<string[]>;
    rotatingObms(node: string): RotatingObms;
  };
  ibms: { config(node: string, service: string): Promise<JsonObject | undefined> };
  /** Stores what a BMC reports. Never rejects. */
  power: { note(node: string, state: PowerState): Promise<void> };
  lookups: {
    /** Returns the address that a user entered for a MAC in a lookup. */
    addressOf(mac: string): Promise<string | undefined>;
  };
}

const IPMI = 'ipmi-obm-service';
const REDFISH = 'redfish-obm-service';
const SNMP = 'snmp-ibm-service';
const MAC = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i;

export class ObmDrivers {
  readonly #port: ObmDriversPort;
  readonly #limits: Omit<DriverLimits, 'note'>;
  readonly breakers: CircuitBreakers;

  /** @param failed receives the error of a session that could not be closed */
  constructor(port: ObmDriversPort, limits: ObmLimits, failed: (error: unknown) => void) {
    this.#port = port;
    const { timeoutMs, cipherSuite } = limits;
    this.breakers = new CircuitBreakers(limits, now);
    const sessions = new RedfishSessions(timeoutMs, failed);
    this.#limits = { breakers: this.breakers, sessions, timeoutMs, cipherSuite };
  }

  /**
   * @param service absent: the node's first obm
   * @param bootImage returns the URL of the image from which the node boots by virtual media
   * @throws ObmError OBM_MISSING, OBM_INVALID
   */
  async of(
    node: string,
    service?: string,
    note: NoteSecret = () => {},
    bootImage?: DriverLimits['bootImage'],
  ): Promise<ObmDriver> {
    const name = service ?? (await this.#first(node));
    const config = name === undefined ? undefined : await this.#port.obms.config(node, name);
    if (name === undefined || config === undefined) throw obmMissing(node, name);
    if (!isService(name)) throw unknownService(node, name);
    configSecrets(name, config).forEach(note);
    const driver = drivers[name](await this.#withAddress(config), {
      ...this.#limits,
      note,
      ...(bootImage && { bootImage }),
    });
    // An outlet with power does not say that the machine runs; its BMC does.
    if (isOutletService(name) && !isOutletService(await this.#first(node))) return driver;
    return notingPower(driver, (state) => this.#port.power.note(node, state));
  }

  /** A BMC that boots its machine from virtual media does so by Redfish only. */
  async #first(node: string): Promise<string | undefined> {
    const services = await this.#port.obms.services(node);
    const areSeveral = services.length > 1 && services.includes(REDFISH);
    if (areSeveral && mediaBootOf(await this.#port.obms.config(node, REDFISH)) !== undefined) return REDFISH;
    return obmServices.find((service) => services.includes(service));
  }

  /** Resolves a host that is a MAC. The password is sent only to the address that a user entered for the MAC. */
  async #withAddress(config: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { host } = config;
    if (typeof host !== 'string' || !MAC.test(host)) return config;
    const address = await this.#port.lookups.addressOf(host);
    if (address !== undefined) return { ...config, host: address };
    const advice = 'enter or confirm its lookup (POST or PATCH /lookups), or give the obm an address';
    throw new ObmError('OBM_UNREACHABLE', `no user entered an address for the BMC ${host}; ${advice}`);
  }

  /** Returns the addresses of the node's BMCs and PDUs, as circuit breakers know them. An obm that cannot be used has none. */
  async addressesOf(node: string): Promise<string[]> {
    const services = await this.#port.obms.services(node);
    const sorted = obmServices.filter((service) => services.includes(service));
    const addresses = sorted.map((service) => this.#addressesAt(node, service).catch(() => []));
    return [...new Set((await Promise.all(addresses)).flat())];
  }

  async #addressesAt(node: string, service: ObmService): Promise<string[]> {
    const config = await this.#port.obms.config(node, service);
    if (config === undefined || service === 'noop-obm-service') return [];
    if (service === 'redfish-pdu-obm-service') return redfishPduOf(config).outlets.map(({ target }) => target.origin);
    if (service === 'pdu-obm-service') return pduOf(config).outlets.map(({ reads }) => `${reads.host}:${reads.port}`);
    const resolved = await this.#withAddress(config);
    if (service === REDFISH) return [redfishOf(resolved).target.origin];
    const { host, port } = bmcOf(resolved, this.#limits.cipherSuite);
    return [`${host}:${port}`];
  }

  /** @param node null: only the access counts @throws ObmError OBM_MISSING when the access needs an obm and there is none */
  async redfish(node: string | null, access: RedfishAccess = {}, note: NoteSecret = () => {}): Promise<RedfishDriver> {
    const config = node === null ? undefined : await this.#port.obms.config(node, REDFISH);
    const { origin, username, password } = access;
    if (config === undefined && [origin, username, password].includes(undefined)) throw obmMissing(node ?? '', REDFISH);
    const given = Object.fromEntries(Object.entries(access).filter(([, value]) => value !== undefined));
    const { origin: uri, ...others } = given;
    const resolvedConfig = config === undefined ? {} : await this.#withAddress(config);
    const { target, path } = redfishOf({ ...resolvedConfig, ...(uri !== undefined && { uri }), ...others });
    if (config !== undefined && password === undefined && target.origin !== redfishOf(resolvedConfig).target.origin) {
      throw strayOrigin(target.origin);
    }
    note(target.password);
    const advice = config === undefined ? { advice: optionAdvice } : {};
    return new RedfishAt({ ...target, ...advice }, path, { ...this.#limits, note });
  }

  /** @param service absent: the node's first obm @throws ObmError OBM_MISSING, OBM_INVALID, OBM_UNSUPPORTED */
  async account(node: string, service?: string, note: NoteSecret = () => {}): Promise<BmcAccount> {
    const name = service ?? (await this.#first(node));
    if (name === undefined) throw obmMissing(node, name);
    if (!isService(name)) throw unknownService(node, name);
    const limits = { ...this.#limits, note };
    const open = async (of: ObmService, config: JsonObject): Promise<AccountDriver> => {
      const resolved = await this.#withAddress(config);
      if (of === REDFISH) return redfishAccount(redfishOf(resolved).target, limits);
      if (of === IPMI) return ipmiAccount(bmcOf(resolved, limits.cipherSuite), limits);
      throw new ObmError('OBM_UNSUPPORTED', `the ${of} has no account`, { retry: false });
    };
    return new RotatedAccount(name, this.#port.obms.rotatingObms(node), open, note);
  }

  /** Returns racadm for the node's BMC, with the account of its Redfish or IPMI obm. @throws ObmError OBM_MISSING, OBM_INVALID */
  async racadm(node: string, note: NoteSecret = () => {}): Promise<Racadm> {
    const idrac = await this.#idrac(node);
    note(idrac.password);
    return (command) => this.breakers.run(idrac.address, command.signal, () => racadm(idrac, command));
  }

  async #idrac(node: string): Promise<Idrac> {
    const config = await this.#port.obms.config(node, REDFISH);
    if (config !== undefined) {
      const { origin, user, password } = redfishOf(await this.#withAddress(config)).target;
      return { address: new URL(origin).host, user, password };
    }
    const ipmiConfig = await this.#port.obms.config(node, IPMI);
    if (ipmiConfig === undefined) throw obmMissing(node, REDFISH);
    const { host, user, password } = bmcOf(await this.#withAddress(ipmiConfig), this.#limits.cipherSuite);
    return { address: host, user, password };
  }

  /** Returns the new entries in the event log of the node's BMC. @throws ObmError */
  async logOf(node: string, mark: SelMark | undefined, signal: AbortSignal): Promise<SelNews> {
    const config = await this.#port.obms.config(node, IPMI);
    if (config === undefined) throw obmMissing(node, IPMI);
    const bmc = bmcOf(await this.#withAddress(config), this.#limits.cipherSuite);
    try {
      return await newsOf(ipmiRun(bmc, this.#limits), mark, signal);
    } catch (error) {
      throw without(configSecrets(IPMI, config), error);
    }
  }

  /**
   * Asks a BMC by ipmitool: the one at the given host, else that of the node's obm.
   * @throws ObmError OBM_MISSING, OBM_INVALID
   */
  async ask(node: string | null, given: JsonObject, args: readonly string[], signal: AbortSignal) {
    const ipmiConfig = node === null || given.host !== undefined ? given : await this.#port.obms.config(node, IPMI);
    if (ipmiConfig === undefined) throw obmMissing(node ?? '', IPMI);
    const bmc = bmcOf(await this.#withAddress(ipmiConfig), this.#limits.cipherSuite);
    try {
      return { host: bmc.host, said: await ipmiRun(bmc, this.#limits)({ args, signal }) };
    } catch (error) {
      throw without(configSecrets(IPMI, ipmiConfig), error);
    }
  }

  /**
   * Returns the BMC by which the serial console of the node is read.
   * @throws ObmError OBM_MISSING, OBM_INVALID; OBM_UNSUPPORTED if the BMC says that it has no serial over LAN
   */
  async serial(node: string, source: ConsoleSource, note: NoteSecret, signal: AbortSignal): Promise<SerialPort> {
    const service = source === 'redfish' ? REDFISH : IPMI;
    const config = await this.#port.obms.config(node, service);
    if (config === undefined) throw obmMissing(node, service);
    configSecrets(service, config).forEach(note);
    const ipmiConfig = source === 'ipmi' ? config : await this.#describedBy(node, config, note, signal);
    const bmc = bmcOf(await this.#withAddress(ipmiConfig), this.#limits.cipherSuite);
    return new SerialConsole(bmc, ipmiRun(bmc, this.#limits));
  }

  /** Returns the settings of serial over LAN as the node's Redfish service describes it: its address and account, over IPMI. */
  async #describedBy(node: string, config: JsonObject, note: NoteSecret, signal: AbortSignal): Promise<JsonObject> {
    const { ipmiPort, offers } = await describedConsole(await this.redfish(node, {}, note), signal);
    if (ipmiPort === undefined) {
      const offered = offers.length === 0 ? 'no serial console' : `its serial console by ${offers.join(', ')} only`;
      throw new ObmError('OBM_UNSUPPORTED', `the BMC offers ${offered}, expected IPMI; enable serial over LAN there`, {
        retry: false,
      });
    }
    const { target } = redfishOf(await this.#withAddress(config));
    const host = new URL(target.origin).hostname.replace(/^\[|\]$/g, '');
    return { host, port: ipmiPort, user: target.user, password: target.password };
  }

  /** Returns the SNMP agent at the given host, else that of the node's ibm. @throws ObmError OBM_MISSING, OBM_INVALID */
  async snmp(node: string | null, given: JsonObject): Promise<SnmpTarget> {
    const snmpConfig = node === null || given.host !== undefined ? undefined : await this.#port.ibms.config(node, SNMP);
    return snmpOf(await this.#withAddress(snmpConfig ?? given));
  }

  /** Closes the open sessions. */
  close(): Promise<void> {
    return this.#limits.sessions.close();
  }
}

/** Removes the secrets from the error: a BMC may quote its request. */
function without(secrets: readonly string[], error: unknown): unknown {
  if (!(error instanceof ObmError)) return error;
  const message = secrets.reduce(
    (text, secret) => (secret === '' ? text : text.replaceAll(secret, REDACTED)),
    error.message,
  );
  return Object.assign(error, { message });
}

const notingPower = (driver: ObmDriver, note: (state: PowerState) => Promise<void>): ObmDriver => ({
  service: driver.service,
  power: (action, signal, commit) => driver.power(action, signal, commit),
  clearLog: (signal, commit) => driver.clearLog(signal, commit),
  resetBmc: (signal, commit) => driver.resetBmc(signal, commit),
  async state(signal) {
    const state = await driver.state(signal);
    await note(state);
    return state;
  },
  boot: (order, signal) => driver.boot(order, signal),
  identify: (on, signal) => driver.identify(on, signal),
});

const isService = (name: string): name is ObmService => isOneOf(obmServices, name);

const unknownService = (node: string, name: string) =>
  new ObmError(
    'OBM_INVALID',
    `the node ${node} has an obm of the service ${name}; expected ${obmServices.join(', ')}`,
    {
      retry: false,
    },
  );

/** Error for an origin that is not the BMC of the obm: the obm's secrets are sent only to that BMC. */
const strayOrigin = (origin: string) =>
  new ObmError('OBM_INVALID', `${origin} is not the origin of the node's ${REDFISH}; give a credential for it`, {
    retry: false,
  });

const obmMissing = (node: string, service: string | undefined) =>
  new ObmError('OBM_MISSING', `the node ${node} has no ${service ?? 'obm'}; put one to /nodes/${node}/obm`, {
    retry: false,
  });
