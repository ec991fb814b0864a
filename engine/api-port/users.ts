/** Users and their rights, as the API asks for them. */
import type { Page, Paged } from './page.ts';

export interface UserRecord {
  /** The username again: no two users share it. */
  id: string;
  username: string;
  /** As `api/passwords.ts` writes it; never the password itself. */
  password: string;
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
  update(
    username: string,
    change: Partial<Pick<UserRecord, 'password' | 'role'>> & { updatedAt: string },
  ): Promise<UserRecord | undefined>;
  /** @returns false when there is no such user */
  remove(username: string): Promise<boolean>;
}
