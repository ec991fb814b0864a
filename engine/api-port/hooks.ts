/** Web hooks and their deliveries, as the API asks for them. */
import type { Fault } from '../define/errors.ts';
import type { DeliveryState } from '../define/states.ts';
import type { Page, Paged } from './page.ts';

/** JavaScript regular expressions, not anchored; those that are there must all match. */
export type HookFilter = Partial<Record<'type' | 'typeId' | 'action' | 'severity' | 'nodeId', string>>;

export interface HookRecord {
  id: string;
  url: string;
  name: string | null;
  /** None: every event. Otherwise one of them must match. */
  filters: HookFilter[];
  /** PEM; null: the usual authorities. */
  ca: string | null;
  /** false: any certificate will do. */
  rejectUnauthorized: boolean;
  /** Filters with patterns that are not supported, taken by an earlier version: they match nothing. */
  unsupported?: Fault[];
  createdAt: string;
  updatedAt: string;
}

/** What a client may say of a hook. */
export interface HookChange {
  url?: string;
  name?: string | null;
  filters?: HookFilter[];
  /** For the signature; null: none. Never shown. */
  secret?: string | null;
  ca?: string | null;
  rejectUnauthorized?: boolean;
}

export type NewHook = HookChange & { url: string };

/** An event on its way to a hook. */
export interface DeliveryRecord {
  id: string;
  hook: string;
  state: DeliveryState;
  eventId: string;
  type: string;
  action: string;
  typeId: string;
  nodeId: string | null;
  attempts: number;
  /** null: there is none. */
  nextAttemptAt: string | null;
  /** Of the last attempt: the receiver's status, null when it gave none, and what went wrong, null when nothing did. */
  status: number | null;
  error: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface Hooks {
  list(page: Page): Promise<Paged<HookRecord>>;
  get(id: string): Promise<HookRecord | undefined>;
  /** @throws NodewrightError INVALID (url, expression, certificate), DUPLICATE (url), CONFLICT (too many) */
  create(input: NewHook): Promise<HookRecord>;
  /** @throws NodewrightError INVALID, DUPLICATE @returns undefined: there is no such hook */
  update(id: string, change: HookChange): Promise<HookRecord | undefined>;
  /** With its deliveries. @returns false when it is not there */
  remove(id: string): Promise<boolean>;
  /** Newest first unless the page says otherwise. @returns undefined: there is no such hook */
  deliveries(id: string, page: Page): Promise<Paged<DeliveryRecord>>;
}
