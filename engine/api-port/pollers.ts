/** Pollers: who asks machines what nobody tells by itself. */
import type { Fault } from '../define/errors.ts';
import type { Severity } from '../define/event.ts';
import type { Page, Paged } from './page.ts';

/**
 * Besides its severity, fields of an entry, each with the text that it has to be, or between slashes a regular expression
 * that it has to match.
 */
export type AlertRule = { severity: Severity } & Record<string, string>;

export interface PollerConfig {
  /** The system event log. */
  command: 'sel';
  /** The first that matches gives an entry its severity. */
  alerts: AlertRule[];
}

export interface PollerRecord {
  id: string;
  type: 'ipmi';
  /** A node's id. */
  node: string;
  /** ms from one look to the next. */
  pollInterval: number;
  config: PollerConfig;
  paused: boolean;
  /** Looks that failed, one after the other, up to now. */
  failureCount: number;
  lastError: { code: string; message: string } | null;
  /** ISO 8601: until then a machine that does not answer is left alone. */
  restsUntil: string | null;
  /** Alert rules with patterns that are not supported, taken by an earlier version: they match nothing. */
  unsupported?: Fault[];
  createdAt: string;
  updatedAt: string;
}

export type NewPoller = Pick<PollerRecord, 'type' | 'node'> &
  Partial<Pick<PollerRecord, 'pollInterval' | 'paused'>> & { config?: Partial<PollerConfig> };
export type PollerChange = Partial<Pick<PollerRecord, 'pollInterval' | 'paused'>> & { config?: Partial<PollerConfig> };

export interface Pollers {
  list(page: Page): Promise<Paged<PollerRecord>>;
  get(id: string): Promise<PollerRecord | undefined>;
  /** @throws NodewrightError INVALID; DUPLICATE when the node has a poller of that command; NOT_FOUND without the node */
  create(input: NewPoller): Promise<PollerRecord>;
  update(id: string, change: PollerChange): Promise<PollerRecord | undefined>;
  remove(id: string): Promise<boolean>;
}
