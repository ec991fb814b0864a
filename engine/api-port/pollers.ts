/** The port of the API to pollers, which read from machines that do not report on their own. */

import type {
  pollerCommands,
  pollerTypes,
  snmpAuthProtocols,
  snmpPrivProtocols,
  snmpVersions,
} from '../define/node.ts';
import type { Severity } from '../vocabulary/event.ts';
import type { Page, Paged } from './page.ts';

/**
 * A severity, and fields of a log entry, each with the text that it must equal, or a regular expression between slashes
 * that it must match.
 */
export type AlertRule = { severity: Severity } & Record<string, string>;

/** Without a host, the obm of the node applies; of SNMP its ibm. */
export interface PollerConfig {
  /** IPMI only. */
  command?: (typeof pollerCommands)[number];
  /** Rules for entries of the event log: the first matching rule defines the severity of an entry. */
  alerts?: AlertRule[];
  /** SNMP only: the roots of the trees that are read, as numbers or as names of a MIB. */
  oids?: string[];
  host?: string;
  port?: number;
  user?: string;
  /** SNMP only. */
  version?: (typeof snmpVersions)[number];
  authProtocol?: (typeof snmpAuthProtocols)[number];
  privProtocol?: (typeof snmpPrivProtocols)[number];
  /** Secrets: encrypted in the store, and not shown. */
  password?: string;
  communityString?: string;
  authPassword?: string;
  privPassword?: string;
}

/** One result: besides these fields one that is named after what was read. */
export interface PollerReading {
  host: string;
  node: string | null;
  /** ISO 8601. */
  timestamp: string;
  [read: string]: unknown;
}

export interface PollerRecord {
  id: string;
  type: (typeof pollerTypes)[number];
  /** A node's id; null: its config names the host. */
  node: string | null;
  /** ms between two polls. */
  pollInterval: number;
  config: PollerConfig;
  paused: boolean;
  /** Number of consecutive failed polls. */
  failureCount: number;
  lastError: { code: string; message: string } | null;
  /** ISO 8601: end of the back-off from a machine that does not respond. */
  retryAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export type NewPoller = Pick<PollerRecord, 'type'> & Partial<Pick<PollerRecord, 'node'>> & PollerChange;
export type PollerChange = Partial<Pick<PollerRecord, 'pollInterval' | 'paused' | 'config'>>;

export interface Pollers {
  list(page: Page): Promise<Paged<PollerRecord>>;
  get(id: string): Promise<PollerRecord | undefined>;
  /** @throws NodewrightError INVALID; DUPLICATE if the node has a poller of this command; NOT_FOUND without the node */
  create(input: NewPoller): Promise<PollerRecord>;
  update(id: string, change: PollerChange): Promise<PollerRecord | undefined>;
  remove(id: string): Promise<boolean>;
  /** Returns the newest results, newest first. @returns undefined if there is no such poller */
  data(id: string): Promise<PollerReading[] | undefined>;
}
