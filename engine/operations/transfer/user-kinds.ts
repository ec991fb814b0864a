/** Roles and users. */
import { builtInRoles } from '../../vocabulary/roles.ts';
import { roleSpec, type StoredRole, type StoredUser, userSpec } from '../users/user-requests.ts';
import { pickKeys, type RecordKind, textIn } from './record-kind.ts';

export const roleKind: RecordKind<StoredRole> = {
  type: 'role',
  spec: roleSpec,
  record: (stored) => pickKeys(stored, ['role', 'privileges']),
  document: (record) => ({ id: textIn(record, 'role'), ...record }),
  initial: {},
  idOf: (record) => textIn(record, 'role'),
  violations: ({ role }) =>
    builtInRoles.has(String(role)) ? [{ path: 'role', message: `is built in; expected a role of your own` }] : [],
};

const USER = ['username', 'role', 'password', 'passwordSince', 'createdAt', 'updatedAt'];

/** The password is its hash, which is no secret to log in with. */
export const userKind: RecordKind<StoredUser> = {
  type: 'user',
  spec: userSpec,
  record: (stored) => pickKeys(stored, USER),
  document: (record) => ({ id: textIn(record, 'username'), ...record }),
  initial: {},
  idOf: (record) => textIn(record, 'username'),
  references: ({ role }) => (builtInRoles.has(String(role)) ? [] : [{ path: 'role', type: 'role', id: String(role) }]),
};
