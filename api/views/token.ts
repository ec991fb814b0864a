/** The API record of an API token. */
import { Type } from 'typebox';
import type { ApiTokenRecord } from '../../engine/api-port/index.ts';
import { orNull, time } from '../../engine/api-port/schemas.ts';
import { privilegeList } from './common.ts';
import { projection } from './projection.ts';

const fields = {
  id: Type.String(),
  note: Type.String(),
  privileges: privilegeList,
  expiresAt: orNull(time),
};

export const tokenRecord = Type.Object(
  {
    ...fields,
    prefix: Type.String({ description: 'the beginning of the token' }),
    createdAt: time,
    lastUsedAt: orNull(Type.String({ format: 'date-time', description: 'to within five minutes; null: not used yet' })),
    parent: orNull(Type.String({ description: 'id of the API token that made it, and with which it ends' })),
  },
  { title: 'ApiToken' },
);
export const newTokenRecord = Type.Object(
  { ...fields, token: Type.String({ description: 'for `Authorization: Bearer`; shown only here' }) },
  { title: 'NewApiToken' },
);

export const tokenView = projection(tokenRecord, {
  lastUsedAt: ({ lastUsedAt }: Pick<ApiTokenRecord, 'lastUsedAt'>) => lastUsedAt ?? null,
});
export const newTokenView = projection(newTokenRecord);
