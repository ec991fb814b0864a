/** The port of the API to web hooks and their deliveries. */
import type { DeliveryState } from '../vocabulary/states.ts';
import type { Page, Paged } from './page.ts';

export const hookFilterKeys = ['type', 'typeId', 'action', 'severity', 'nodeId', 'status', 'graphName'] as const;

/** Unanchored JavaScript regular expressions; all of those given must match. */
export type HookFilter = Partial<Record<(typeof hookFilterKeys)[number], string>>;

export interface HookRecord {
  id: string;
  url: string;
  name: string | null;
  /** Empty: every event. Otherwise at least one must match. */
  filters: HookFilter[];
  /** PEM; null: the default certificate authorities. */
  ca: string | null;
  /** false: accept any certificate. */
  rejectUnauthorized: boolean;
  createdAt: string;
  updatedAt: string;
}

/** The fields of a hook that a client may set. */
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

/** The delivery of an event to a hook. */
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
  /** null: no further attempt. */
  nextAttemptAt: string | null;
  /** Result of the last attempt: the receiver's status, null if there was none, and the error, null on success. */
  status: number | null;
  error: string | null;
  /** The delivery that a user repeats by this one; absent: none. */
  redeliveryOf?: string;
  createdAt: string;
  updatedAt: string;
}

export interface Hooks {
  list(page: Page): Promise<Paged<HookRecord>>;
  get(id: string): Promise<HookRecord | undefined>;
  /** @throws NodewrightError INVALID (url, expression, certificate), DUPLICATE (url), CONFLICT (too many) */
  create(input: NewHook): Promise<HookRecord>;
  /** @throws NodewrightError INVALID, DUPLICATE @returns undefined if there is no such hook */
  update(id: string, change: HookChange): Promise<HookRecord | undefined>;
  /** Deletes a hook and its deliveries. @returns false if there is no such hook */
  remove(id: string): Promise<boolean>;
  /** Newest first by default. @returns undefined if there is no such hook */
  deliveries(id: string, page: Page): Promise<Paged<DeliveryRecord>>;
  /** Delivers an event to test the hook, immediately. @returns undefined if there is no such hook */
  test(id: string): Promise<DeliveryRecord | undefined>;
  /**
   * Delivers an event again, immediately: an ended delivery by a new one, a waiting one by itself.
   * @returns undefined if there is no such delivery of the hook
   */
  redeliver(id: string, delivery: string): Promise<DeliveryRecord | undefined>;
}
