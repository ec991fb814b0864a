/** The API records of a hook and a delivery. */
import { Type } from 'typebox';
import type { HookRecord } from '../../engine/api-port/index.ts';
import { redactText } from '../../engine/vocabulary/conceal.ts';
import { deliveryStates } from '../../engine/vocabulary/states.ts';
import { words } from '../http/words.ts';
import { nonEmpty, orNull, time } from './common.ts';
import { projection } from './projection.ts';

/** Maximum characters; longer than any pattern that a person writes. */
const EXPRESSION = 1_024;
const FILTERS = 100;

const expression = Type.Optional(
  Type.String({
    maxLength: EXPRESSION,
    description: 'a JavaScript regular expression, not anchored; without look-around and back-references',
  }),
);
const filter = Type.Object(
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
const filters = Type.Array(filter, {
  maxItems: FILTERS,
  description: 'empty: every event; otherwise at least one must match',
});
const name = orNull(Type.String({ maxLength: 1_024 }));
const ca = Type.String({
  maxLength: 65_536,
  description: 'PEM of the authority that signed the certificate of the receiver',
});
const url = Type.String({ minLength: 1, maxLength: 2_048, description: 'http or https, without credentials' });

const settings = {
  name: Type.Optional(name),
  filters: Type.Optional(filters),
  secret: Type.Optional(
    orNull(Type.String({ minLength: 1, maxLength: 1_024, description: 'key of the signature; never returned' })),
  ),
  ca: Type.Optional(orNull(ca)),
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
    rejectUnauthorized: Type.Optional(Type.Boolean()),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Hook' },
);

/** Default values are omitted. */
export const hookView = projection(hookRecord, {
  url: ({ url }: HookRecord) => redactText(url),
  ca: ({ ca }: HookRecord) => ca ?? undefined,
  rejectUnauthorized: ({ rejectUnauthorized }: HookRecord) => (rejectUnauthorized ? undefined : false),
});

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
    status: orNull(Type.Integer()),
    error: orNull(Type.String()),
    redeliveryOf: Type.Optional(Type.String({ description: 'the delivery that a user repeats by this one' })),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Delivery' },
);

export const deliveryView = projection(deliveryRecord);
