/** The port of the API to pollers, which read from machines that do not report on their own. */
import type { Violation } from '../define/errors.ts';
import type { Severity } from '../define/event.ts';
import type { Page, Paged } from './page.ts';

/**
 * A severity, and fields of a log entry, each with the text that it must equal, or a regular expression between slashes
 * that it must match.
 */
export type AlertRule = { severity: Severity } & Record<string, string>;

export interface PollerConfig {
  /** `sel`: the system event log. */
  command: 'sel';
  /** The first matching rule defines the severity of an entry. */
  alerts: AlertRule[];
}

export interface PollerRecord {
  id: string;
  type: 'ipmi';
  /** A node's id. */
  node: string;
  /** ms between two polls. */
  pollInterval: number;
  config: PollerConfig;
  paused: boolean;
  /** Number of consecutive failed polls. */
  failureCount: number;
  lastError: { code: string; message: string } | null;
  /** ISO 8601: end of the back-off from a machine that does not respond. */
  restsUntil: string | null;
  /** Alert rules with unsupported patterns, accepted by an earlier version: they match nothing. */
  unsupported?: Violation[];
  createdAt: string;
  updatedAt: string;
}

export type NewPoller = Pick<PollerRecord, 'type' | 'node'> &
  Partial<Pick<PollerRecord, 'pollInterval' | 'paused'>> & { config?: Partial<PollerConfig> };
export type PollerChange = Partial<Pick<PollerRecord, 'pollInterval' | 'paused'>> & { config?: Partial<PollerConfig> };

export interface Pollers {
  list(page: Page): Promise<Paged<PollerRecord>>;
  get(id: string): Promise<PollerRecord | undefined>;
  /** @throws NodewrightError INVALID; DUPLICATE if the node has a poller of this command; NOT_FOUND without the node */
  create(input: NewPoller): Promise<PollerRecord>;
  update(id: string, change: PollerChange): Promise<PollerRecord | undefined>;
  remove(id: string): Promise<boolean>;
}
