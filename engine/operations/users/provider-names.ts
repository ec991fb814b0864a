/**
 * Stores the name of each account of a provider, where a claim other than `sub` gives it. The first name stays, whatever later
 * tokens of the account say: one person has one name in the audit log, and cannot approve a ticket by another one.
 */
import type { ProviderNames, ProviderUser } from '../../api-port/index.ts';
import type { Collection, CollectionSpec, Document } from '../../platform/store/port.ts';

export const providerNameSpec: CollectionSpec = { name: 'providernames', indexes: {} };

/** Its id is that of the account. */
export interface ProviderName extends Document {
  username: string;
}

export class ProviderNameRequests implements ProviderNames {
  readonly #stored: Collection<ProviderName>;

  constructor(stored: Collection<ProviderName>) {
    this.#stored = stored;
  }

  async of({ account, username, groups }: ProviderUser): Promise<string> {
    if (account === undefined) return username;
    const earlier = await this.#stored.get(account);
    // Accounts without a role here do nothing that has to be named, and may be many.
    if (earlier !== undefined || groups.length === 0) return earlier?.username ?? username;
    await this.#stored.insertMissing([{ id: account, username }]);
    // Another daemon may have been first.
    return (await this.#stored.get(account))?.username ?? username;
  }
}
