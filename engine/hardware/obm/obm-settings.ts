/** Validates the config of an obm when it is used: it may have been put long before. */
import { type Static, type TSchema, Type } from 'typebox';
import { isNoAddress } from '../../define/address.ts';
import type { AccessService } from '../../define/node.ts';
import { ObmError } from '../../define/obm.ts';
import { validator } from '../../platform/validation/validator.ts';
import { sentenceOf, type Violation } from '../../vocabulary/errors.ts';
import { type JsonObject, property } from '../../vocabulary/json.ts';
import { macOf } from '../../vocabulary/mac.ts';
import { BootNetwork, networkViolations } from './boot-network.ts';
import type { Bmc } from './ipmitool.ts';
import { plainOutletOptions } from './outlet-settings.ts';
import { modelName, Outlets, Pdu, pduViolations } from './pdu-settings.ts';
import { originIn } from './redfish-origin.ts';
import { RedfishOutlets, RedfishPdu, redfishPduViolations } from './redfish-pdu-settings.ts';
import type { RedfishTarget } from './session.ts';
import { host, httpAccess, plainHttpAccess, port, settingText, user } from './setting-schemas.ts';
import { authProtocol, privProtocol, Snmp, snmpVersion, snmpViolations } from './snmp-settings.ts';

/** How the machine boots where a task does not say: true for UEFI, false for BIOS. */
const uefi = Type.Optional(Type.Boolean());

/** From where the machine boots the microkernel; absent: the network. */
const bootFrom = Type.Unsafe<'virtual-media'>({ enum: ['virtual-media'] });

/** Clients in the field send additional keys, and use either key for the user. */
const Ipmi = Type.Object({
  host,
  port: Type.Optional(port),
  user: Type.Optional(settingText),
  username: Type.Optional(settingText),
  // The maximum length in IPMI 2.0.
  password: Type.String({ minLength: 1, maxLength: 20 }),
  cipherSuite: Type.Optional(Type.Integer({ minimum: 0, maximum: 17 })),
  uefi,
});

const Redfish = Type.Object({
  uri: Type.Optional(Type.String({ pattern: '^https?://' })),
  host: Type.Optional(host),
  port: Type.Optional(port),
  root: Type.Optional(Type.String({ pattern: '^/' })),
  user: Type.Optional(settingText),
  username: Type.Optional(settingText),
  password: settingText,
  ...httpAccess,
  uefi,
  bootFrom: Type.Optional(bootFrom),
  network: Type.Optional(BootNetwork),
});

/** By service: the schema of its config. */
export const obmSchemas: Record<AccessService, TSchema> = {
  'ipmi-obm-service': Ipmi,
  'redfish-obm-service': Redfish,
  'pdu-obm-service': Pdu,
  'redfish-pdu-obm-service': RedfishPdu,
  'noop-obm-service': Type.Object({}),
  'ssh-ibm-service': Type.Object({
    host,
    port: Type.Optional(port),
    user: settingText,
    password: Type.Optional(settingText),
    publicKey: Type.Optional(Type.String()),
    privateKey: Type.Optional(Type.String()),
  }),
  'snmp-ibm-service': Snmp,
};

const commonKeys = { host, port, user, username: user };
const bootMode = { uefi: Type.Boolean() };
const snmpKeys = { port, user, version: snmpVersion, authProtocol, privProtocol };

/** By service: the keys that are not secret, with schemas of the values that may be shown. */
export const plainKeys: Record<AccessService, Record<string, TSchema>> = {
  'ipmi-obm-service': { ...commonKeys, ...bootMode, cipherSuite: Type.Integer(), protocol: settingText },
  'redfish-obm-service': {
    ...commonKeys,
    ...bootMode,
    uri: Type.String({ pattern: '^https?://' }),
    root: Type.String({ pattern: '^/[^?#]*$' }),
    bootFrom,
    network: BootNetwork,
    ...plainHttpAccess,
  },
  'pdu-obm-service': {
    ...snmpKeys,
    outlets: Outlets,
    model: modelName,
    ...plainOutletOptions,
  },
  'redfish-pdu-obm-service': { user, outlets: RedfishOutlets, ...plainHttpAccess, ...plainOutletOptions },
  'noop-obm-service': commonKeys,
  'ssh-ibm-service': { ...commonKeys, publicKey: Type.String() },
  'snmp-ibm-service': { host, ...snmpKeys },
};

const IPMI_PORT = 623;
const REDFISH = 'redfish-obm-service';

export function bmcOf(config: unknown, defaultSuite: number): Bmc {
  const service = 'ipmi-obm-service';
  const settings = settingsOf(service, Ipmi, config);
  const { host, password } = settings;
  const { port = IPMI_PORT, cipherSuite = defaultSuite } = settings;
  return { host, port, user: userOf(service, settings), password, cipherSuite };
}

/** @returns the target, with the path of the ComputerSystem if the config has it */
export function redfishOf(config: unknown): { target: RedfishTarget; path: string | undefined } {
  const settings = settingsOf(REDFISH, Redfish, config);
  const { password, verifySSL = true, ca, root } = settings;
  const target = { origin: originOf(settings), user: userOf(REDFISH, settings), password, verifySSL, ca };
  return { target, path: root !== undefined && /\/Systems\/./.test(root) ? root : undefined };
}

/** Returns the boot mode of the machine that the config has; undefined: none. */
export function bootModeOf(config: unknown): { uefi?: boolean } {
  const mode = property(config, 'uefi');
  return typeof mode === 'boolean' ? { uefi: mode } : {};
}

/** Returns how the machine boots the microkernel from virtual media; undefined: it boots from the network. */
export function mediaBootOf(config: unknown): { network: BootNetwork | undefined } | undefined {
  if (property(config, 'bootFrom') === undefined) return undefined;
  return { network: settingsOf(REDFISH, Redfish, config).network };
}

function originOf(settings: Static<typeof Redfish>): string {
  const origin = originIn(settings);
  if (origin !== undefined) return origin;
  throw settingsError(REDFISH, 'found neither a valid uri nor a valid host, expected one of them');
}

function userOf(service: string, { user, username }: { user?: string; username?: string }): string {
  const userName = user ?? username;
  if (userName === undefined) throw settingsError(service, 'found no user, expected one');
  return userName;
}

/** Returns the reasons why no task can ever use the config; empty: it may work. */
export function configViolations(service: AccessService, config: JsonObject): Violation[] {
  if (config.bootFrom !== undefined && service !== REDFISH)
    return [{ path: 'bootFrom', message: `is not possible with a ${service}; set it in a ${REDFISH}` }];
  if (service === 'pdu-obm-service') return pduViolations(config);
  if (service === 'redfish-pdu-obm-service') return redfishPduViolations(config);
  if (service === 'snmp-ibm-service') return [...snmpViolations(config), ...hostViolations(config)];
  const schema = obmSchemas[service];
  const violations = validator.accepts(schema, config) ? [] : validator.violations(schema, config);
  const all = [...violations, ...hostViolations(config), ...(service === REDFISH ? networkProblems(config) : [])];
  if (service !== 'ipmi-obm-service' && service !== 'redfish-obm-service') return all;
  if (config.user === undefined && config.username === undefined) all.push({ path: 'user', message: 'is missing' });
  // A MAC is replaced by the address of its lookup when the obm is used.
  const isMac = typeof config.host === 'string' && macOf(config.host) !== undefined;
  if (service === 'redfish-obm-service' && !isMac && originIn(config) === undefined)
    all.push({ path: 'uri', message: 'is no URL, and there is no valid host; expected one of them' });
  return all;
}

function networkProblems({ bootFrom: source, network }: JsonObject): Violation[] {
  if (network === undefined) return [];
  if (source === undefined)
    return [{ path: 'network', message: 'has an effect only beside bootFrom: "virtual-media"' }];
  return validator.accepts(BootNetwork, network) ? networkViolations(network) : [];
}

const hostViolations = ({ host: given }: JsonObject): Violation[] =>
  typeof given === 'string' && isNoAddress(given)
    ? [{ path: 'host', message: `found ${given}; expected a name or an address` }]
    : [];

/** @throws ObmError OBM_INVALID with every violation */
function settingsOf<S extends TSchema>(service: string, schema: S, config: unknown): Static<S> {
  if (validator.accepts(schema, config)) return config;
  throw settingsError(service, validator.violations(schema, config).map(sentenceOf).join('; '));
}

const settingsError = (service: string, problem: string) =>
  new ObmError('OBM_INVALID', `the node's ${service} cannot be used: ${problem}; put it again`, { retry: false });
