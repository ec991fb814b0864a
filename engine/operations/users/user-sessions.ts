/** Stores Redfish sessions: found by the hash of their token, and valid until they expire. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Page, PagedList, SessionRecord, Sessions } from '../../api-port/index.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';

export const sessionSpec: CollectionSpec = {
  name: 'sessions',
  indexes: { token: 'text', username: 'text', createdAt: 'text', expiresAt: 'text' },
};

export interface StoredSession extends SessionRecord {
  /** SHA-256 of the token, which is random and long: no salt is needed. */
  token: string;
}

const TOKEN_BYTES = 32;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');
const now = (): string => new Date().toISOString();

export class SessionRequests implements Sessions {
  readonly #stored: Collection<StoredSession>;

  constructor(stored: Collection<StoredSession>) {
    this.#stored = stored;
  }

  /** Opens a session, and deletes expired ones. */
  async open(
    holder: Pick<SessionRecord, 'username' | 'credential'>,
    seconds: number,
  ): Promise<{ session: SessionRecord; token: string }> {
    await this.#stored.remove({ expiresAt: { $lte: now() } });
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = new Date(Date.now() + seconds * 1_000).toISOString();
    const { username, credential } = holder;
    const session = { id: randomUUID(), username, credential, createdAt: now(), expiresAt };
    await this.#stored.insert({ ...session, token: hashOf(token) });
    return { session, token };
  }

  async of(token: string): Promise<SessionRecord | undefined> {
    const [session] = await this.#stored.find({ token: hashOf(token), expiresAt: { $gt: now() } }, { limit: 1 });
    return session;
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const session = await this.#stored.get(id);
    return session && session.expiresAt > now() ? session : undefined;
  }

  async list({ filter, ...page }: Page): Promise<PagedList<SessionRecord>> {
    const open = { $and: [filter, { expiresAt: { $gt: now() } }] };
    const items = await this.#stored.find(open, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items, total: await this.#stored.count(open) };
  }

  async close(id: string): Promise<boolean> {
    return (await this.#stored.remove({ id })) > 0;
  }
}
