/** The API record of an entry of the audit log. */
import { Type } from 'typebox';
import { orNull, time } from './common.ts';
import { projection } from './projection.ts';

export const auditEntry = Type.Object(
  {
    seq: Type.Integer(),
    at: time,
    user: orNull(Type.String()),
    tokenId: orNull(Type.String()),
    address: Type.String(),
    method: Type.String(),
    path: Type.String(),
    target: orNull(Type.String()),
    status: Type.Integer(),
    requestId: Type.String(),
    acknowledged: Type.Optional(Type.Array(Type.String())),
    previous: Type.String(),
    hash: Type.String(),
  },
  { title: 'AuditEntry' },
);

export const auditEntryView = projection(auditEntry);
