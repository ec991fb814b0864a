/** The port of the API to API tokens, and to login tokens that were ended. */
import type { Privilege } from '../vocabulary/roles.ts';

/** An API token; only a hash of it is stored. */
export interface ApiTokenRecord {
  id: string;
  /** The beginning of the token, by which its owner recognizes it. */
  prefix: string;
  username: string;
  /** The user's credential when it was made: the token ends when the current one differs (`api/auth/tokens.ts`). */
  credential: string;
  note: string;
  /** The token grants those of these privileges that its user has. */
  privileges: readonly Privilege[];
  createdAt: string;
  /** ISO 8601; null: never. */
  expiresAt: string | null;
  /** To within five minutes; absent: not used yet. */
  lastUsedAt?: string;
  /** The API token that made it, and with which it ends; null: made by a log-in. */
  parent: string | null;
}

/** The owner of API tokens: the others of the user have ended. */
export type TokenOwner = Pick<ApiTokenRecord, 'username' | 'credential'>;

export interface ApiTokens {
  /**
   * @param token `parent` limits its lifetime, too
   * @param seconds the lifetime; undefined: no end @returns the token too, which is not shown again
   * @throws NodewrightError CONFLICT if the user has too many, or the parent has ended
   */
  create(
    token: TokenOwner & Pick<ApiTokenRecord, 'note' | 'privileges' | 'parent'>,
    seconds: number | undefined,
  ): Promise<{ record: ApiTokenRecord; token: string }>;
  /** @returns undefined if the token is invalid or has expired */
  of(token: string): Promise<ApiTokenRecord | undefined>;
  /** Notes that a request had it, in the background. */
  noteUse(token: ApiTokenRecord): void;
  /** @returns the tokens through which a token was made, its parent first; undefined if one of them has ended */
  ancestors(token: ApiTokenRecord): Promise<ApiTokenRecord[] | undefined>;
  /** Returns those that have not ended, oldest first. */
  list(owner: TokenOwner): Promise<ApiTokenRecord[]>;
  /** Removes a token with all that it made. @returns false if the user has no such token */
  remove(username: string, id: string): Promise<boolean>;
  /** Removes all tokens of a user, with all that they made. */
  removeAll(username: string): Promise<void>;
}

/** Results of reads of users, roles and tokens, kept for later requests. */
export interface Access {
  /**
   * Returns the result that `read` has now. It need not be called: the result of an earlier call is the same while no user,
   * role or token was changed or ended.
   * @param key of the token @param read its result is undefined if the token is invalid, which is not kept
   */
  recall<T extends object>(key: string, read: () => Promise<T | undefined>): Promise<T | undefined>;
}

export interface EndedTokens {
  /** Ends a login token, or all those of a session at the provider, in all daemons. @param expiresAt ISO 8601: it is invalid from then on anyway */
  add(id: string, expiresAt: string): Promise<void>;
  has(id: string): Promise<boolean>;
}
