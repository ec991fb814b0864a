/** The config of a poller: its defaults, its secrets, and the parts that fit its type. */
import type { PollerConfig, PollerRecord } from '../../api-port/pollers.ts';
import { logCommands, pollerCommands } from '../../define/node.ts';
import { snmpViolations } from '../../hardware/obm/snmp-settings.ts';
import { invalidInput, rejectViolations } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';
import { alertViolations } from './severity.ts';

/** A node has at most one poller of each command. */
export const pollerKeyOf = (
  type: PollerRecord['type'],
  node: string | null,
  { command }: PollerConfig,
): string | null => (type !== 'snmp' && node !== null ? `${node} ${command}` : null);

export const readsLogs = (command: unknown): boolean => isOneOf(logCommands, command);

/** The secrets of a config apart from the rest of it. */
export function split(config: PollerConfig): { config: PollerConfig; secrets: JsonObject } {
  const { password, communityString, authPassword, privPassword, ...plain } = config;
  const all = { password, communityString, authPassword, privPassword };
  const secrets = Object.entries(all).filter(([, value]) => value !== undefined);
  return { config: plain, secrets: Object.fromEntries(secrets) };
}

export function withDefaults(type: PollerRecord['type'], config: PollerConfig): PollerConfig {
  if (type === 'snmp') return config;
  const { command = pollerCommands[type][0] } = config;
  return readsLogs(command) ? { alerts: [], ...config, command } : { ...config, command };
}

const unusedKey = (key: string) => ({
  path: `config.${key}`,
  message: 'is not of Redfish; the redfish-obm-service of the node says how it is reached',
});

/** Checks how the machine is reached, if the config says so. @throws NodewrightError INVALID */
export function checkAccess(
  type: PollerRecord['type'],
  { oids: _oids, command: _command, alerts: _alerts, stream: _stream, ...config }: PollerConfig,
  secrets: JsonObject,
): void {
  if (type === 'redfish') rejectViolations(Object.keys({ ...config, ...secrets }).map(unusedKey));
  if (type !== 'snmp' || config.host === undefined) return;
  const violations = snmpViolations({ ...config, ...secrets });
  rejectViolations(violations.map(({ path, message }) => ({ path: `config.${path}`, message })));
}

/** @throws NodewrightError INVALID */
export function checkConfig(
  type: PollerRecord['type'],
  node: string | null,
  { command, alerts, oids, stream }: PollerConfig,
): void {
  rejectViolations(alertViolations(alerts ?? []));
  if (type === 'snmp' && command !== undefined) throw invalidInput('config.command', 'is of a BMC; give oids');
  if (type !== 'snmp' && oids !== undefined) throw invalidInput('config.oids', 'are of SNMP; give a command');
  const commands: readonly string[] = pollerCommands[type];
  if (command !== undefined && !commands.includes(command))
    throw invalidInput('config.command', `is not of ${type}; expected ${commands.join(', ')}`);
  if (type === 'redfish' && node === null) throw invalidInput('node', 'is missing; its redfish-obm-service is asked');
  if (alerts !== undefined && !readsLogs(command))
    throw invalidInput('config.alerts', `are of logs, of the commands ${logCommands.join(', ')}`);
  if (stream !== undefined && (type !== 'redfish' || !readsLogs(command)))
    throw invalidInput(
      'config.stream',
      'is of logs by Redfish, of the commands systems.logservices, managers.logservices',
    );
  if (command === 'sel' && node === null)
    throw invalidInput('node', 'is missing; the events of an event log are of a node');
}
