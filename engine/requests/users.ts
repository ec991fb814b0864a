/** Users as they are kept. Passwords come as hashes; who may do what is the API's business. */
import type { Page, Paged, UserRecord, Users } from '../api-port/index.ts';
import { NodewrightError } from '../define/errors.ts';
import { type Collection, type CollectionSpec, DuplicateError } from '../store/port.ts';

/** `first` is the same word in every first user, so that the store lets only one of two in. */
export const userSpec: CollectionSpec = {
  name: 'users',
  indexes: { role: 'text', first: 'text' },
  unique: ['first'],
};

export interface StoredUser extends UserRecord {
  first?: 'first';
}

export class UserRequests implements Users {
  readonly #stored: Collection<StoredUser>;

  constructor(stored: Collection<StoredUser>) {
    this.#stored = stored;
  }

  count(): Promise<number> {
    return this.#stored.count({});
  }

  get(username: string): Promise<UserRecord | undefined> {
    return this.#stored.get(username);
  }

  async list({ filter, ...page }: Page): Promise<Paged<UserRecord>> {
    return { items: await this.#stored.find(filter, page), total: await this.#stored.count(filter) };
  }

  async create(user: UserRecord): Promise<void> {
    if (await this.#inserted(user)) return;
    throw new NodewrightError('DUPLICATE', `the user ${user.username} exists already`);
  }

  async createFirst(user: UserRecord): Promise<boolean> {
    if ((await this.count()) > 0) return false;
    return this.#inserted({ ...user, first: 'first' });
  }

  async #inserted(user: StoredUser): Promise<boolean> {
    try {
      await this.#stored.insert(user);
      return true;
    } catch (error) {
      if (error instanceof DuplicateError) return false;
      throw error;
    }
  }

  update(username: string, change: Record<string, unknown>): Promise<UserRecord | undefined> {
    return this.#stored.update({ id: username }, { $set: change });
  }

  async remove(username: string): Promise<boolean> {
    return (await this.#stored.remove({ id: username })) > 0;
  }
}
