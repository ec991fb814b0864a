/** The port of the API to users and their rights. */
import type { Privilege } from '../vocabulary/roles.ts';
import type { Page, PagedList } from './page.ts';
import type { Binding } from './teams.ts';

export interface UserRecord {
  /** The username, which is unique. */
  id: string;
  username: string;
  /** The hash that `api/auth/passwords.ts` writes; never the password itself. */
  password: string;
  /** When the password was last changed; absent: never. */
  passwordSince?: string;
  /** The last log-in, to within five minutes; absent: none. */
  lastLoginAt?: string;
  /** On the whole site; absent: none, only `bindings` count. */
  role?: string;
  /** Roles on the nodes of teams; absent: none. */
  bindings?: readonly Binding[];
  createdAt: string;
  updatedAt: string;
}

export interface Users {
  count(): Promise<number>;
  get(username: string): Promise<UserRecord | undefined>;
  /** Notes a log-in, in the background. */
  loggedIn(user: UserRecord): void;
  list(page: Page): Promise<PagedList<UserRecord>>;
  /** @throws NodewrightError DUPLICATE if the name is taken */
  create(user: UserRecord): Promise<void>;
  /** Creates the user only if there is none. @returns false if there is one; of two concurrent calls, one succeeds */
  createFirst(user: UserRecord): Promise<boolean>;
  /** @throws NodewrightError CONFLICT if no Administrator would remain @returns undefined if there is no such user */
  update(
    username: string,
    change: Partial<Pick<UserRecord, 'password' | 'passwordSince' | 'bindings'>> & {
      /** null: none any more. */
      role?: string | null;
      updatedAt: string;
    },
  ): Promise<UserRecord | undefined>;
  /** Names one user who has a role on the nodes of the team; undefined: none has. */
  boundTo(team: string): Promise<string | undefined>;
  /** @throws NodewrightError CONFLICT for the last Administrator @returns false if there is no such user */
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
  /** @throws NodewrightError DUPLICATE if the name is taken */
  create(role: RoleRecord): Promise<void>;
  /** @throws NodewrightError FORBIDDEN for a built-in role @returns undefined if there is no such role */
  update(role: RoleRecord): Promise<RoleRecord | undefined>;
  /**
   * @throws NodewrightError FORBIDDEN for a built-in role, CONFLICT while a user has it
   * @returns false if there is none
   */
  remove(role: string): Promise<boolean>;
}

/** A Redfish session; only a hash of its token is stored. */
export interface SessionRecord {
  id: string;
  username: string;
  /** The credential at login: the session ends when the user's current credential differs (`api/auth/tokens.ts`). */
  credential: string;
  createdAt: string;
  /** ISO 8601. */
  expiresAt: string;
}

export interface Sessions {
  /** @param seconds the lifetime @returns the session and its token, which is not shown again */
  open(
    holder: Pick<SessionRecord, 'username' | 'credential'>,
    seconds: number,
  ): Promise<{ session: SessionRecord; token: string }>;
  /** @returns undefined if the token is invalid, or its session has expired */
  of(token: string): Promise<SessionRecord | undefined>;
  get(id: string): Promise<SessionRecord | undefined>;
  /** Returns the sessions that have not expired, oldest first. */
  list(page: Page): Promise<PagedList<SessionRecord>>;
  close(id: string): Promise<boolean>;
}
