/** The error of the API, lists of privileges, and values without secrets. */
import { Type } from 'typebox';
import { words } from '../../engine/api-port/schemas.ts';
import { pause } from '../../engine/api-port/values.ts';
import { redact, redactingNonces } from '../../engine/vocabulary/conceal.ts';
import { concealInTurns } from '../../engine/vocabulary/conceal-in-turns.ts';
import { type Privilege, privileges } from '../../engine/vocabulary/roles.ts';

export const privilegeList = Type.Array(words(privileges), { uniqueItems: true });

const violations = Type.Array(Type.Object({ path: Type.String(), message: Type.String() }));
/** Like `redactAll`, of a value that may be large: other work is done in between. */
export const redactedInTurns = <T>(value: T): Promise<T> => concealInTurns(value, redactingNonces, pause) as Promise<T>;

/** Returns a copy with every secret as `REDACTED`; all else keeps its type. */
export const redactAll = <T>(value: T): T => redact([], value) as T;

/** A title makes a schema a named component of the OpenAPI document. */
export const errorRecord = Type.Object(
  {
    message: Type.String(),
    code: Type.String(),
    status: Type.Integer(),
    requestId: Type.String(),
    requiredPrivileges: Type.Optional(
      Type.Unsafe<Privilege[]>({
        ...privilegeList,
        description: 'of a 403: any one of these, or, of a user or a role, all of these that are missing',
      }),
    ),
    oldest: Type.Optional(Type.Integer({ description: 'of EVENTS_GONE: the position of the oldest event' })),
    errors: Type.Optional(violations),
  },
  { title: 'Error' },
);

export const unauthorizedRecord = Type.Object({ message: Type.String() }, { title: 'Unauthorized' });
