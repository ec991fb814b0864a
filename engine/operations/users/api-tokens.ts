/**
 * Stores API tokens, found by the hash of the token, and the login tokens that were ended before they expired. A token that
 * is removed or ended ends the epoch of what requests have read (`access-records.ts`).
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ApiTokenRecord, ApiTokens, EndedTokens, TokenOwner } from '../../api-port/index.ts';
import type { Epoch } from '../../platform/cluster/epoch.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection, CollectionSpec, Document, Filter } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import { LastSeen } from './last-seen.ts';

export const apiTokenSpec: CollectionSpec = {
  name: 'apitokens',
  indexes: { token: 'text', username: 'text', expiresAt: 'text', parent: 'text' },
};
export const endedTokenSpec: CollectionSpec = { name: 'endedtokens', indexes: { expiresAt: 'text' } };

export interface StoredApiToken extends ApiTokenRecord {
  /** SHA-256 of the token, which is random and long: no salt is needed. */
  token: string;
}

export interface EndedToken extends Document {
  expiresAt: string;
}

/** Maximum number of tokens of a user. */
const TOKENS = 100;
/** Tokens that make tokens: a request may read as many. */
const GENERATIONS = 8;
const SECRET_BYTES = 32;
/** Programs that look for leaked secrets find them by this beginning. */
const TOKEN_PREFIX = 'nwt_';
/** Characters of a token that lists show: 24 of its 256 bits. */
const VISIBLE_CHARACTERS = 4;
/** More than the clocks of daemons differ: an ended token must not be valid again for a slow clock. */
const SKEW_MS = HOUR_MS;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');
const timeIn = (ms: number): string => new Date(Date.now() + ms).toISOString();

export class ApiTokenRequests implements ApiTokens {
  readonly #stored: Collection<StoredApiToken>;
  readonly #epoch: Epoch;
  readonly #uses: LastSeen<StoredApiToken>;

  constructor(stored: Collection<StoredApiToken>, epoch: Epoch, failed?: (error: unknown) => void) {
    this.#stored = stored;
    this.#epoch = epoch;
    this.#uses = new LastSeen(stored, 'lastUsedAt', failed);
  }

  close(): Promise<void> {
    return this.#uses.close();
  }

  noteUse(token: ApiTokenRecord): void {
    this.#uses.note(token as StoredApiToken);
  }

  /** Also removes tokens that have ended. */
  async create(
    {
      username,
      credential,
      note,
      privileges,
      parent,
    }: TokenOwner & Pick<ApiTokenRecord, 'note' | 'privileges' | 'parent'>,
    seconds: number | undefined,
  ): Promise<{ record: ApiTokenRecord; token: string }> {
    await this.#stored.remove({ expiresAt: { $lte: timeIn(0) } });
    await this.#stored.remove({ username, credential: { $ne: credential } });
    const token = TOKEN_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
    const prefix = token.slice(0, TOKEN_PREFIX.length + VISIBLE_CHARACTERS);
    const created = { prefix, username, credential, note, privileges, createdAt: timeIn(0), parent };
    const ends = [
      ...(seconds === undefined ? [] : [timeIn(seconds * 1_000)]),
      ...((await this.ancestors(created)) ?? []).flatMap(({ expiresAt }) => expiresAt ?? []),
    ];
    const record = { ...created, id: randomUUID(), expiresAt: ends.sort()[0] ?? null };
    await this.#stored.insert({ ...record, token: hashOf(token) });
    const problem = await this.#problem(record);
    if (problem === undefined) return { record, token };
    await this.#stored.remove({ id: record.id });
    throw new NodewrightError('CONFLICT', problem);
  }

  /** Looked for after the insertion, so that concurrent requests neither exceed the limit nor outlive a parent. */
  async #problem(record: ApiTokenRecord): Promise<string | undefined> {
    const ancestors = await this.ancestors(record);
    if (ancestors === undefined) return 'the API token of this request has ended; log in and create the new one then';
    if (ancestors.length > GENERATIONS) {
      return `${GENERATIONS} API tokens made each other, which is the limit; create the next one by a log-in`;
    }
    if ((await this.#stored.count({ username: record.username })) <= TOKENS) return undefined;
    return `${record.username} has ${TOKENS} API tokens, which is the limit; delete one first`;
  }

  async ancestors({ parent }: Pick<ApiTokenRecord, 'parent'>): Promise<ApiTokenRecord[] | undefined> {
    const tokens: ApiTokenRecord[] = [];
    for (let id = parent; id !== null; ) {
      const token = await this.#stored.get(id);
      if (token === undefined || !isOpen(token)) return undefined;
      tokens.push(token);
      id = token.parent;
    }
    return tokens;
  }

  async of(token: string): Promise<ApiTokenRecord | undefined> {
    const [storedToken] = await this.#stored.find({ token: hashOf(token) }, { limit: 1 });
    return storedToken && isOpen(storedToken) ? storedToken : undefined;
  }

  async list(owner: TokenOwner): Promise<ApiTokenRecord[]> {
    const storedTokens = await this.#stored.find({ ...owner }, { limit: TOKENS });
    return storedTokens.filter(isOpen).sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  }

  async remove(username: string, id: string): Promise<boolean> {
    return (await this.#epoch.change(() => this.#removeWhole({ id, username }))) > 0;
  }

  async removeAll(username: string): Promise<void> {
    await this.#epoch.change(() => this.#removeWhole({ username }));
  }

  /** Children last: without their parent they are invalid, so an interruption leaves none that works. */
  async #removeWhole(filter: Filter): Promise<number> {
    const ids: string[] = [];
    for await (const { id } of pages(this.#stored, filter)) ids.push(id);
    if (ids.length === 0) return 0;
    const removed = await this.#stored.remove(filter);
    await this.#removeWhole({ parent: { $in: ids } });
    return removed;
  }
}

const isOpen = ({ expiresAt }: ApiTokenRecord): boolean => expiresAt === null || expiresAt > timeIn(0);

/** An ended token is invalid in every daemon immediately. */
export class EndedTokenRequests implements EndedTokens {
  readonly #stored: Collection<EndedToken>;
  readonly #epoch: Epoch;

  constructor(stored: Collection<EndedToken>, epoch: Epoch) {
    this.#stored = stored;
    this.#epoch = epoch;
  }

  /** Also removes those that have expired. */
  async add(id: string, expiresAt: string): Promise<void> {
    await this.#stored.remove({ expiresAt: { $lte: timeIn(-SKEW_MS) } });
    await this.#epoch.change(() => this.#stored.insertMissing([{ id, expiresAt }]));
  }

  async has(id: string): Promise<boolean> {
    return (await this.#stored.get(id)) !== undefined;
  }
}
