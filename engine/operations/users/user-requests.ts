/**
 * Stores users and roles. Passwords arrive hashed; the API decides on rights. Once there is an Administrator, there is
 * always one: changes that could remove the last one run one at a time across all processes. A change ends the epoch of
 * what requests have read (`access-records.ts`); a new user does not, because nothing is kept of a missing one.
 */
import type { Page, PagedList, RoleRecord, Roles, UserRecord, Users } from '../../api-port/index.ts';
import { type Epoch, localEpoch } from '../../platform/cluster/epoch.ts';
import type { Lease } from '../../platform/cluster/leases.ts';
import type { SerializedChanges } from '../../platform/cluster/serialized-changes.ts';
import {
  type Collection,
  type CollectionSpec,
  type Document,
  DuplicateError,
  type Update,
} from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { ADMINISTRATOR, builtInRoles } from '../../vocabulary/roles.ts';
import { LastSeen } from './last-seen.ts';

/** `first` has the same value in every first user; being unique, it lets the store accept only one of two. */
export const userSpec: CollectionSpec = {
  name: 'users',
  indexes: { role: 'text', first: 'text' },
  unique: ['first'],
};
export const roleSpec: CollectionSpec = { name: 'roles', indexes: {} };

export interface StoredUser extends UserRecord {
  first?: 'first';
}

export interface StoredRole extends RoleRecord, Document {}

const ROLES = 1_000;

export class UserRequests implements Users {
  readonly #stored: Collection<StoredUser>;
  readonly #guard: SerializedChanges;
  readonly #epoch: Epoch;
  readonly #settle: () => Promise<void>;
  readonly #logIns: LastSeen<StoredUser>;

  /** @param settle see `Store.settle` */
  constructor(
    stored: Collection<StoredUser>,
    guard: SerializedChanges,
    epoch: Epoch = localEpoch(),
    settle: () => Promise<void> = async () => {},
    failed?: (error: unknown) => void,
  ) {
    this.#stored = stored;
    this.#guard = guard;
    this.#epoch = epoch;
    this.#settle = settle;
    this.#logIns = new LastSeen(stored, 'lastLoginAt', failed);
  }

  loggedIn(user: UserRecord): void {
    this.#logIns.note(user);
  }

  close(): Promise<void> {
    return this.#logIns.close();
  }

  count(): Promise<number> {
    return this.#stored.count({});
  }

  get(username: string): Promise<UserRecord | undefined> {
    return this.#stored.get(username);
  }

  async list({ filter, ...page }: Page): Promise<PagedList<UserRecord>> {
    return { items: await this.#stored.find(filter, page), total: await this.#stored.count(filter) };
  }

  async create(user: UserRecord): Promise<void> {
    if (await this.#insertUser(user)) return;
    throw new NodewrightError('DUPLICATE', `the user ${user.username} already exists`);
  }

  async createFirst(user: UserRecord): Promise<boolean> {
    if ((await this.count()) > 0) return false;
    const isInserted = await this.#insertUser({ ...user, first: 'first' });
    // The next client on this machine would become the first user otherwise.
    await this.#settle();
    return isInserted;
  }

  async #insertUser(user: StoredUser): Promise<boolean> {
    return insertDocument(this.#stored, user);
  }

  async boundTo(team: string): Promise<string | undefined> {
    const [user] = await this.#stored.find({ bindings: { $elemMatch: { team } } }, { limit: 1 });
    return user?.username;
  }

  update(username: string, change: Record<string, unknown>): Promise<UserRecord | undefined> {
    const { role, ...others } = change;
    const written: Update = role === null ? { $set: others, $unset: { role: '' } } : { $set: change };
    const write = () => this.#stored.update({ id: username }, written);
    return change.role === undefined
      ? this.#epoch.change(write)
      : this.#guard.run((lease) => this.#unlessLast(lease, username, change.role, write));
  }

  remove(username: string): Promise<boolean> {
    const write = async () => (await this.#stored.remove({ id: username })) > 0;
    return this.#guard.run((lease) => this.#unlessLast(lease, username, undefined, write));
  }

  /** @param role the role that the user will have; undefined: none */
  async #unlessLast<T>(lease: Lease, username: string, role: unknown, write: () => Promise<T>): Promise<T> {
    if (role === ADMINISTRATOR) return this.#epoch.change(write);
    const [one, another] = await this.#stored.find({ role: ADMINISTRATOR }, { limit: 2 });
    if (one?.username === username && another === undefined) {
      throw new NodewrightError('CONFLICT', `${username} is the last ${ADMINISTRATOR}; create another one first`);
    }
    return this.#epoch.change(async () => {
      // Another process may have made such a change if this one was blocked since, or if Redis lost the lease.
      await this.#guard.renew(lease);
      return write();
    });
  }
}

export class RoleRequests implements Roles {
  readonly #stored: Collection<StoredRole>;
  readonly #users: Collection<StoredUser>;
  readonly #epoch: Epoch;

  constructor(stored: Collection<StoredRole>, users: Collection<StoredUser>, epoch: Epoch) {
    this.#stored = stored;
    this.#users = users;
    this.#epoch = epoch;
  }

  async all(): Promise<RoleRecord[]> {
    const builtIn = [...builtInRoles].map(([role, privileges]) => ({ role, privileges }));
    return [...builtIn, ...(await this.#stored.find({}, { limit: ROLES }))];
  }

  async get(role: string): Promise<RoleRecord | undefined> {
    const privileges = builtInRoles.get(role);
    return privileges === undefined ? this.#stored.get(role) : { role, privileges };
  }

  async create({ role, privileges }: RoleRecord): Promise<void> {
    // A user may have it already.
    const insert = () => insertDocument(this.#stored, { id: role, role, privileges });
    if (!builtInRoles.has(role) && (await this.#epoch.change(insert))) return;
    throw new NodewrightError('DUPLICATE', `the role ${role} already exists`);
  }

  async update({ role, privileges }: RoleRecord): Promise<RoleRecord | undefined> {
    rejectBuiltIn(role);
    return this.#epoch.change(() => this.#stored.update({ id: role }, { $set: { privileges } }));
  }

  async remove(role: string): Promise<boolean> {
    rejectBuiltIn(role);
    const bound = { bindings: { $elemMatch: { role } } };
    const [user] = await this.#users.find({ $or: [{ role }, bound] }, { limit: 1 });
    if (user !== undefined) {
      throw new NodewrightError(
        'CONFLICT',
        `the user ${user.username} has the role ${role}; assign another role first`,
      );
    }
    return (await this.#epoch.change(() => this.#stored.remove({ id: role }))) > 0;
  }
}

function rejectBuiltIn(role: string): void {
  if (!builtInRoles.has(role)) return;
  const violations = [{ path: 'role', message: `${role} is built in and cannot be changed` }];
  throw new NodewrightError('FORBIDDEN', 'Forbidden', { violations });
}

async function insertDocument<T extends Document>(stored: Collection<T>, document: T): Promise<boolean> {
  try {
    await stored.insert(document);
    return true;
  } catch (error) {
    if (error instanceof DuplicateError) return false;
    throw error;
  }
}
