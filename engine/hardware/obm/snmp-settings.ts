/** How an SNMP agent is reached: the config of an ibm, or of a poller. */
import { type Static, Type } from 'typebox';
import { snmpAuthProtocols, snmpPrivProtocols, snmpVersions } from '../../define/node.ts';
import { ObmError } from '../../define/obm.ts';
import { validator } from '../../platform/validation/validator.ts';
import { sentenceOf, type Violation } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { host, port, settingText } from './setting-schemas.ts';

const oneOf = <T extends string>(names: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: [...names] });

export const snmpVersion = oneOf(snmpVersions);
export const authProtocol = oneOf(snmpAuthProtocols);
export const privProtocol = oneOf(snmpPrivProtocols);
/** RFC 3414, 11.2. */
const password = Type.String({ minLength: 8, maxLength: 1_024 });

/** Without a version: 3 with a user, otherwise 2c. */
export const Snmp = Type.Object({
  host,
  port: Type.Optional(port),
  version: Type.Optional(snmpVersion),
  community: Type.Optional(settingText),
  communityString: Type.Optional(settingText),
  user: Type.Optional(settingText),
  authProtocol: Type.Optional(authProtocol),
  authPassword: Type.Optional(password),
  privProtocol: Type.Optional(privProtocol),
  privPassword: Type.Optional(password),
});

type Settings = Static<typeof Snmp>;

export interface SnmpTarget {
  host: string;
  port: number;
  /** A community for versions 1 and 2c, a user for version 3. */
  access: { version: '1' | '2c'; community: string } | SnmpUser;
}

/** The user of version 3. */
export interface SnmpUser extends Required<Pick<Settings, 'authProtocol' | 'privProtocol'>> {
  version: '3';
  user: string;
  authPassword: string | undefined;
  privPassword: string | undefined;
}

const versionOf = ({ version, user }: Settings): '1' | '2c' | '3' => version ?? (user === undefined ? '2c' : '3');

const ofUsers = ['user', 'authProtocol', 'authPassword', 'privProtocol', 'privPassword'] as const;

/** Returns what is wrong with the config; empty: an agent can be asked with it. */
export function snmpViolations(config: unknown): Violation[] {
  if (!validator.accepts(Snmp, config)) return validator.violations(Snmp, config);
  const { user, authPassword, privPassword } = config;
  if (versionOf(config) !== '3') {
    const other = ofUsers.filter((key) => config[key] !== undefined);
    return other.map((path) => ({ path, message: 'is of version 3; give the version' }));
  }
  if (user === undefined) return [{ path: 'user', message: 'is missing; version 3 has users, not communities' }];
  if (privPassword === undefined || authPassword !== undefined) return [];
  return [{ path: 'authPassword', message: 'is missing; encryption needs authentication' }];
}

/** @throws ObmError OBM_INVALID */
export function snmpOf(config: JsonObject): SnmpTarget {
  const violations = snmpViolations(config);
  if (violations.length > 0) {
    const problem = violations.map(sentenceOf).join('; ');
    const message = `the SNMP agent cannot be asked: ${problem}; correct the poller or the snmp-ibm-service of its node`;
    throw new ObmError('OBM_INVALID', message, { retry: false });
  }
  const settings = config as Settings;
  const { host: name, port: at = 161, community = 'public', communityString = community } = settings;
  const version = versionOf(settings);
  if (version !== '3') return { host: name, port: at, access: { version, community: communityString } };
  const { user = '', authProtocol: auth = 'sha', privProtocol: priv = 'aes', authPassword, privPassword } = settings;
  const access = { version, user, authProtocol: auth, privProtocol: priv, authPassword, privPassword };
  return { host: name, port: at, access };
}
