/**
 * Redfish alerts: published as events of the node whose BMC sent them, with properties of that node added to each.
 *
 * 1. When `receive` resolves, no alert of the message can be lost any more.
 * 2. Senders are looked up in batches: in a storm, one lookup serves all alerts that arrived during the one before.
 */
import { randomUUID } from 'node:crypto';
import type { Alerts } from '../../api-port/index.ts';
import type { Outbox } from '../../events/broker/outbox.ts';
import { batch } from '../../platform/lib/batch.ts';
import { now } from '../../platform/lib/clock.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { type Publication, publicationOf, type Severity } from '../../vocabulary/event.ts';
import { isObject, type JsonObject } from '../../vocabulary/json.ts';
import { alertReport } from '../health/alert-reports.ts';
import type { HealthRequests } from '../health/health-requests.ts';
import type { HoldRequests } from '../holds/hold-requests.ts';
import type { CatalogRequests } from './catalogs.ts';
import type { LookupRequests } from './lookups.ts';
import type { ObmRequests } from './obm-requests.ts';

interface Sender {
  node: string;
  macAddress?: string;
}

/** Properties added to each alert of one sender; unknown ones are empty strings. */
interface AlertProperties {
  nodeId: string;
  macAddress: string;
  sourceMacAddress: string;
  ChassisName: string;
  ServiceTag: string;
  SN: string;
}

/** A sender as its alerts show it. */
interface NamedSender {
  properties: AlertProperties;
  /** A hold keeps its alerts from hooks and the broker. */
  isQuiet: boolean;
}

export interface AlertSources {
  lookups: Pick<LookupRequests, 'at'>;
  obms: Pick<ObmRequests, 'at'>;
  catalogs: Pick<CatalogRequests, 'dataOf'>;
  holds: Pick<HoldRequests, 'quietNodes'>;
  health: Pick<HealthRequests, 'report'>;
}

const SOURCES = ['dmi', 'bmc'];

export class AlertRequests implements Alerts {
  readonly #sources: AlertSources;
  readonly #outbox: Pick<Outbox, 'publish'>;
  readonly #named: (address: string) => Promise<NamedSender | undefined>;

  constructor(sources: AlertSources, outbox: Pick<Outbox, 'publish'>) {
    this.#sources = sources;
    this.#outbox = outbox;
    this.#named = batch((addresses) => this.#look(addresses));
  }

  async receive(address: string, message: JsonObject): Promise<number> {
    const alerts = alertsIn(message);
    const named = await this.#named(address);
    if (named === undefined) throw new NodewrightError('INVALID', 'unrecognized node');
    const { properties, isQuiet } = named;
    const publications = alerts.map((alert) => eventOf(alert, address, properties));
    const changes = alerts.flatMap((alert) => alertReport(alert, severityOf(alert)));
    if (changes.length > 0) await this.#sources.health.report({ node: properties.nodeId, changes, isQuiet });
    await this.#outbox.publish(isQuiet ? publications.map((one) => ({ ...one, isQuiet })) : publications);
    return alerts.length;
  }

  async #look(addresses: readonly string[]): Promise<(NamedSender | undefined)[]> {
    const { catalogs, holds } = this.#sources;
    const senders = await this.#senders([...new Set(addresses)]);
    const nodes = [...new Set([...senders.values()].map(({ node }) => node))];
    const [data, quiet] = await Promise.all([catalogs.dataOf(nodes, SOURCES), holds.quietNodes(nodes)]);
    return addresses.map((address) => {
      const sender = senders.get(address);
      return sender && { properties: namedOf(sender, data.get(sender.node)), isQuiet: quiet.has(sender.node) };
    });
  }

  /** A lookup takes precedence over an obm: it also has the MAC of the address. */
  async #senders(addresses: readonly string[]): Promise<Map<string, Sender>> {
    const [lookups, obms] = await Promise.all([this.#sources.lookups.at(addresses), this.#sources.obms.at(addresses)]);
    const senders = new Map<string, Sender>(obms.reverse().map(({ host, nodeId }) => [host, { node: nodeId }]));
    for (const { ipAddress, node, macAddress } of lookups.reverse()) {
      if (node !== null && ipAddress !== null) senders.set(ipAddress, { node, macAddress });
    }
    return senders;
  }
}

/**
 * Returns the alerts of a message: the message itself, or its `Events`.
 * @throws NodewrightError INVALID when it has none
 */
function alertsIn({ Events = null, ...message }: JsonObject): JsonObject[] {
  const { Context } = message;
  const alertItems = Events === null ? [message] : Events;
  if (!Array.isArray(alertItems) || alertItems.length === 0 || !alertItems.every(isFilled)) {
    throw new NodewrightError('INVALID', 'Unexpected alert data');
  }
  return Events === null || Context === undefined ? alertItems : alertItems.map((alert) => ({ Context, ...alert }));
}

const isFilled = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0;

function namedOf({ node, macAddress }: Sender, catalogs: Map<string, unknown> | undefined): AlertProperties {
  const dmi = (section: string, field: string) => textAt(catalogs?.get('dmi'), section, field);
  const mac = macAddress ?? textAt(catalogs?.get('bmc'), 'MAC Address').toLowerCase();
  return {
    nodeId: node,
    macAddress: mac,
    sourceMacAddress: mac,
    ChassisName: dmi('System Information', 'Product Name'),
    ServiceTag: dmi('System Information', 'Serial Number'),
    SN: dmi('Base Board Information', 'Serial Number'),
  };
}

/**
 * Returns the string at a path; in a section that occurs several times, the first one applies.
 * @returns '' if missing
 */
function textAt(value: unknown, ...path: string[]): string {
  const field = path.reduce((at, key) => {
    const one = Array.isArray(at) ? at[0] : at;
    return isObject(one) ? one[key] : undefined;
  }, value);
  return typeof field === 'string' ? field : '';
}

/** Maps Redfish's severity; `OK` and any vendor-specific value become `information`. */
function severityOf({ Severity, MessageSeverity }: JsonObject): Severity {
  const said = String(Severity ?? MessageSeverity ?? '').toLowerCase();
  return said === 'critical' || said === 'warning' ? said : 'information';
}

function eventOf(alert: JsonObject, sourceIpAddress: string, named: AlertProperties): Publication {
  return publicationOf({
    id: randomUUID(),
    version: '1.0',
    type: 'node',
    action: 'alerts',
    severity: severityOf(alert),
    typeId: named.nodeId,
    createdAt: new Date(now()).toISOString(),
    nodeId: named.nodeId,
    data: { ...alert, sourceIpAddress, ...named },
  });
}
