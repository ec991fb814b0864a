/** The API record of a user, without the password. */
import { Type } from 'typebox';
import { binding } from '../../engine/api-port/teams.ts';
import { projection } from './projection.ts';

export const userName = Type.String({ pattern: '^[A-Za-z][0-9A-Za-z._-]*$', maxLength: 256 });

/** Characters of a password. */
export const PASSWORD = { minLength: 6, maxLength: 512 };

export const userRecord = Type.Object(
  {
    username: Type.String(),
    role: Type.Optional(Type.String({ description: 'On the whole site; absent: only `bindings` count' })),
    bindings: Type.Optional(Type.Array(binding, { description: 'Roles on the nodes of teams; absent: none' })),
    lastLoginAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'the last log-in with the password, to within five minutes; absent: none',
      }),
    ),
  },
  { title: 'User' },
);

export const userView = projection(userRecord);
