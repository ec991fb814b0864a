/** Users and their rights, as the API asks for them. */
import type { Privilege } from '../define/roles.ts';
import type { Page, Paged } from './page.ts';

export interface UserRecord {
  /** The username again: no two users share it. */
  id: string;
  username: string;
  /** As `api/passwords.ts` writes it; never the password itself. */
  password: string;
  /** When the password was changed last; absent: it is the first one. */
  passwordSince?: string;
  role: string;
  createdAt: string;
  updatedAt: string;
}

export interface Users {
  count(): Promise<number>;
  get(username: string): Promise<UserRecord | undefined>;
  list(page: Page): Promise<Paged<UserRecord>>;
  /** @throws NodewrightError DUPLICATE when the name is taken */
  create(user: UserRecord): Promise<void>;
  /** Creates the user only if there is none at all. @returns false when there is one: of two at once, one wins. */
  createFirst(user: UserRecord): Promise<boolean>;
  /** @throws NodewrightError CONFLICT when it would leave no Administrator @returns undefined: there is no such user */
  update(
    username: string,
    change: Partial<Pick<UserRecord, 'password' | 'passwordSince' | 'role'>> & { updatedAt: string },
  ): Promise<UserRecord | undefined>;
  /** @throws NodewrightError CONFLICT for the last Administrator @returns false when there is no such user */
  remove(username: string): Promise<boolean>;
}

export interface RoleRecord {
  /** Its name. */
  role: string;
  privileges: readonly Privilege[];
}

export interface Roles {
  /** Built-in ones first, then by name. */
  all(): Promise<RoleRecord[]>;
  get(role: string): Promise<RoleRecord | undefined>;
  /** @throws NodewrightError DUPLICATE when the name is taken */
  create(role: RoleRecord): Promise<void>;
  /** @throws NodewrightError FORBIDDEN for a built-in role @returns undefined: there is no such role */
  update(role: RoleRecord): Promise<RoleRecord | undefined>;
  /** @throws NodewrightError FORBIDDEN for a built-in role, CONFLICT while a user has it @returns false: not there */
  remove(role: string): Promise<boolean>;
}

/** A Redfish session; its token is kept as a hash only. */
export interface SessionRecord {
  id: string;
  username: string;
  /** What the user proved to be: a session ends when the user's present credential is another (`api/tokens.ts`). */
  credential: string;
  createdAt: string;
  /** ISO 8601. */
  expiresAt: string;
}

export interface Sessions {
  /** @param seconds how long it lasts @returns it, and its token, which is told this once */
  open(
    holder: Pick<SessionRecord, 'username' | 'credential'>,
    seconds: number,
  ): Promise<{ session: SessionRecord; token: string }>;
  /** @returns undefined when the token is none, or its session is over */
  of(token: string): Promise<SessionRecord | undefined>;
  get(id: string): Promise<SessionRecord | undefined>;
  /** Those that are not over, oldest first. */
  list(page: Page): Promise<Paged<SessionRecord>>;
  close(id: string): Promise<boolean>;
}
