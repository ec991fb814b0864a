/** Stores API tokens, found by the hash of the token, and the login tokens that were ended before they expired. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ApiTokenRecord, ApiTokens, EndedTokens, TokenOwner } from '../api-port/index.ts';
import { NodewrightError } from '../define/errors.ts';
import type { Collection, CollectionSpec, Document } from '../store/port.ts';

export const apiTokenSpec: CollectionSpec = {
  name: 'apitokens',
  indexes: { token: 'text', username: 'text', expiresAt: 'text' },
};
export const endedTokenSpec: CollectionSpec = { name: 'endedtokens', indexes: { expiresAt: 'text' } };

export interface StoredApiToken extends ApiTokenRecord {
  /** SHA-256 of the token, which is random and long: no salt is needed. */
  token: string;
}

export interface EndedToken extends Document {
  expiresAt: string;
}

/** Of a user. */
const TOKENS = 100;
const SECRET_BYTES = 32;
/** Programs that look for leaked secrets find them by this beginning. */
const PREFIX = 'nwt_';
/** More than the clocks of daemons differ: an ended token must not be valid again for a slow clock. */
const SKEW_MS = 3_600_000;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');
const timeIn = (ms: number): string => new Date(Date.now() + ms).toISOString();

export class ApiTokenRequests implements ApiTokens {
  readonly #stored: Collection<StoredApiToken>;

  constructor(stored: Collection<StoredApiToken>) {
    this.#stored = stored;
  }

  /** Also removes tokens that have ended. */
  async create(
    { username, credential, note, privileges }: TokenOwner & Pick<ApiTokenRecord, 'note' | 'privileges'>,
    seconds: number | undefined,
  ): Promise<{ record: ApiTokenRecord; token: string }> {
    await this.#stored.remove({ expiresAt: { $lte: timeIn(0) } });
    await this.#stored.remove({ username, credential: { $ne: credential } });
    const token = PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
    const expiresAt = seconds === undefined ? null : timeIn(seconds * 1_000);
    const record = { id: randomUUID(), username, credential, note, privileges, createdAt: timeIn(0), expiresAt };
    await this.#stored.insert({ ...record, token: hashOf(token) });
    // Counted after the insertion, so that concurrent requests cannot exceed the limit.
    if ((await this.#stored.count({ username })) <= TOKENS) return { record, token };
    await this.#stored.remove({ id: record.id });
    throw new NodewrightError('CONFLICT', `${username} has ${TOKENS} API tokens, which is the limit; delete one first`);
  }

  async of(token: string): Promise<ApiTokenRecord | undefined> {
    const [found] = await this.#stored.find({ token: hashOf(token) }, { limit: 1 });
    return found && isOpen(found) ? found : undefined;
  }

  async list(owner: TokenOwner): Promise<ApiTokenRecord[]> {
    const found = await this.#stored.find({ ...owner }, { limit: TOKENS });
    return found.filter(isOpen).sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  }

  async remove(username: string, id: string): Promise<boolean> {
    return (await this.#stored.remove({ id, username })) > 0;
  }

  async removeAll(username: string): Promise<void> {
    await this.#stored.remove({ username });
  }
}

const isOpen = ({ expiresAt }: ApiTokenRecord): boolean => (expiresAt ?? null) === null || `${expiresAt}` > timeIn(0);

/** Read at each request, so an ended token is invalid in every daemon at once. */
export class EndedTokenRequests implements EndedTokens {
  readonly #stored: Collection<EndedToken>;

  constructor(stored: Collection<EndedToken>) {
    this.#stored = stored;
  }

  /** Also removes those that have expired. */
  async add(id: string, expiresAt: string): Promise<void> {
    await this.#stored.remove({ expiresAt: { $lte: timeIn(-SKEW_MS) } });
    await this.#stored.insertMissing([{ id, expiresAt }]);
  }

  async has(id: string): Promise<boolean> {
    return (await this.#stored.get(id)) !== undefined;
  }
}
