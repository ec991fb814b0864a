/** The port of the API to web hooks and their deliveries. */
import { type Static, Type } from 'typebox';
import { deliveryStates } from '../vocabulary/states.ts';
import type { Page, PagedList } from './page.ts';
import { nonEmpty, orNull, time, words } from './schemas.ts';

/** Maximum characters; longer than any pattern that a person writes. */
const EXPRESSION = 1_024;
const FILTERS = 100;

const expression = Type.Optional(
  Type.String({
    maxLength: EXPRESSION,
    description: 'a JavaScript regular expression, not anchored; without look-around and back-references',
  }),
);
export const hookFilter = Type.Object(
  {
    type: expression,
    typeId: expression,
    action: expression,
    severity: expression,
    nodeId: expression,
    status: expression,
    graphName: expression,
  },
  { additionalProperties: false },
);

export const hookFilterKeys = Object.keys(hookFilter.properties) as (keyof HookFilter)[];

const filters = Type.Array(hookFilter, {
  maxItems: FILTERS,
  description: 'empty: every event; otherwise at least one must match',
});
const name = orNull(Type.String({ maxLength: 1_024 }));
const ca = Type.String({
  maxLength: 65_536,
  description: 'PEM of the authority that signed the certificate of the receiver',
});
const url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'http or https, of `mail` smtp or smtps with `?from=ADDRESS&to=ADDRESSES`; without credentials',
});

const receiverFormats = ['slack', 'teams', 'pagerduty', 'mail'] as const;
/** A body that a receiver takes instead of the event. */
export type ReceiverFormat = (typeof receiverFormats)[number];
const format = Type.Unsafe<ReceiverFormat>({
  type: 'string',
  enum: [...receiverFormats],
  description:
    'a message for this receiver instead of the event; the secret of `pagerduty` is its integration key, that of `mail` is `user:password` of the relay',
});

const settings = {
  name: Type.Optional(name),
  filters: Type.Optional(filters),
  secret: Type.Optional(
    orNull(Type.String({ minLength: 1, maxLength: 1_024, description: 'key of the signature; never returned' })),
  ),
  ca: Type.Optional(orNull(ca)),
  format: Type.Optional(orNull(format)),
  rejectUnauthorized: Type.Optional(Type.Boolean({ description: 'false: accept any certificate' })),
};

export const newHook = Type.Object({ url, ...settings }, { additionalProperties: false });
export const hookChange = Type.Object({ url: Type.Optional(url), ...settings }, { additionalProperties: false });

export const hookRecord = Type.Object(
  {
    id: nonEmpty,
    url,
    name,
    filters,
    ca: Type.Optional(ca),
    format: Type.Optional(format),
    rejectUnauthorized: Type.Optional(Type.Boolean()),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Hook' },
);

export const deliveryRecord = Type.Object(
  {
    id: nonEmpty,
    state: words(deliveryStates),
    eventId: Type.String(),
    type: Type.String(),
    action: Type.String(),
    typeId: Type.String(),
    nodeId: orNull(Type.String()),
    attempts: Type.Integer(),
    nextAttemptAt: orNull(time),
    /** The receiver's of the last attempt, a status of HTTP or a reply code of SMTP; null: there was none. */
    status: orNull(Type.Integer()),
    error: orNull(Type.String()),
    redeliveryOf: Type.Optional(Type.String({ description: 'the delivery that a user repeats by this one' })),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Delivery' },
);

/** Unanchored JavaScript regular expressions; all of those given must match. */
export type HookFilter = Static<typeof hookFilter>;

/** `ca`, PEM: null: the default certificate authorities; `format`, null: the event itself. */
export type HookRecord = Omit<Static<typeof hookRecord>, 'ca' | 'format' | 'rejectUnauthorized'> & {
  ca: string | null;
  format: ReceiverFormat | null;
  rejectUnauthorized: boolean;
};

/** The fields of a hook that a client may set. */
export type HookChange = Static<typeof hookChange>;
export type NewHook = Static<typeof newHook>;

/** The delivery of an event to a hook. */
export type DeliveryRecord = Static<typeof deliveryRecord> & { hook: string };

export interface Hooks {
  list(page: Page): Promise<PagedList<HookRecord>>;
  get(id: string): Promise<HookRecord | undefined>;
  /** @throws NodewrightError INVALID (url, expression, certificate), DUPLICATE (url), CONFLICT (too many) */
  create(input: NewHook): Promise<HookRecord>;
  /** @throws NodewrightError INVALID, DUPLICATE @returns undefined if there is no such hook */
  update(id: string, change: HookChange): Promise<HookRecord | undefined>;
  /** Deletes a hook and its deliveries. @returns false if there is no such hook */
  remove(id: string): Promise<boolean>;
  /** Newest first by default. @returns undefined if there is no such hook */
  deliveries(id: string, page: Page): Promise<PagedList<DeliveryRecord>>;
  /** Delivers an event to test the hook, immediately. @returns undefined if there is no such hook */
  test(id: string): Promise<DeliveryRecord | undefined>;
  /**
   * Delivers an event again, immediately: an ended delivery by a new one, a waiting one by itself.
   * @returns undefined if there is no such delivery of the hook
   */
  redeliver(id: string, delivery: string): Promise<DeliveryRecord | undefined>;
}
