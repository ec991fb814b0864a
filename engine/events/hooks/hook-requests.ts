/** Requests about web hooks. `events/hooks/` delivers the events. */
import { randomUUID, X509Certificate } from 'node:crypto';
import type { DeliveryRecord, HookChange, HookRecord, Hooks, NewHook } from '../../api-port/hooks.ts';
import type { Page, PagedList } from '../../api-port/index.ts';
import type { Egress } from '../../platform/lib/egress.ts';
import type { Cipher } from '../../platform/secrets/secrets.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { type Collection, DuplicateError } from '../../platform/store/port.ts';
import { concealText } from '../../vocabulary/conceal.ts';
import { hasEncrypted } from '../../vocabulary/encrypted-values.ts';
import { invalidInput, NodewrightError, rejectViolations } from '../../vocabulary/errors.ts';
import type { ListedEvent } from '../../vocabulary/event.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { Deliveries, Delivery } from './deliveries.ts';
import { filterViolations } from './filters.ts';
import type { HookCache } from './hook-cache.ts';
import { checkSigningSecret } from './post-event.ts';
import { smtpCredentialsIn, smtpRelayIn } from './smtp-relay.ts';
import { HOOKS, type StoredHook } from './stored-hook.ts';

/** The work on deliveries. */
export interface HookSending {
  deliveries: Pick<Deliveries, 'addAgain' | 'hasten'>;
  nudge(hook: string): void;
  egress: Pick<Egress, 'check'>;
}

export class HookRequests implements Hooks {
  readonly #hooks: Collection<StoredHook>;
  readonly #deliveries: Collection<Delivery>;
  readonly #cipher: Cipher;
  readonly #vault: Vault;
  readonly #cache: Pick<HookCache, 'reload'>;
  readonly #sending: HookSending;

  constructor(
    hooks: Collection<StoredHook>,
    deliveries: Collection<Delivery>,
    cipher: Cipher,
    vault: Vault,
    cache: Pick<HookCache, 'reload'>,
    sending: HookSending,
  ) {
    this.#hooks = hooks;
    this.#deliveries = deliveries;
    this.#cipher = cipher;
    this.#vault = vault;
    this.#cache = cache;
    this.#sending = sending;
  }

  async list({ filter, ...page }: Page): Promise<PagedList<HookRecord>> {
    const hooks = this.#hooks;
    const items = await hooks.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: items, total: await hooks.count(filter) };
  }

  get(id: string): Promise<HookRecord | undefined> {
    return this.#hooks.get(id);
  }

  async create(input: NewHook): Promise<HookRecord> {
    const hooks = this.#hooks;
    const now = new Date().toISOString();
    const usual = { name: null, filters: [], secret: null, ca: null, format: null, rejectUnauthorized: true };
    const rest = { misses: 0, retryAt: null, by: null, createdAt: now, updatedAt: now };
    checkReceiver(input);
    const { url, address } = this.#addressFields(input.url);
    const hook = { id: randomUUID(), ...usual, ...rest, ...this.#checkedChange(input), url, address };
    if ((await hooks.count({})) >= HOOKS) {
      throw new NodewrightError('CONFLICT', `there are ${HOOKS} hooks, the maximum; remove one first`);
    }
    await unlessTaken(hook.url, () => hooks.insert(hook));
    await this.#cache.reload();
    return hook;
  }

  async update(id: string, input: HookChange): Promise<HookRecord | undefined> {
    const before = receiverFields.some((field) => field in input) ? await this.#hooks.get(id) : undefined;
    if (before !== undefined) checkReceiver({ ...this.#receiverOf(before), ...input });
    const change = { ...this.#checkedChange(input), updatedAt: new Date().toISOString() };
    // A new receiver starts without the failures of the previous one.
    const anew = input.url === undefined ? {} : { ...this.#addressFields(input.url), misses: 0, retryAt: null };
    const changed = await unlessTaken(input.url === undefined ? '' : this.#addressFields(input.url).url, () =>
      this.#hooks.update({ id }, { $set: { ...change, ...anew } }),
    );
    if (changed !== undefined) await this.#cache.reload();
    return changed;
  }

  /** Encrypts the secrets in the URL deterministically, so that the same URL remains one hook. */
  #addressFields(url: string): Pick<StoredHook, 'url' | 'address'> {
    if (hasEncrypted(url)) throw invalidInput('url', 'contains an encrypted value; give the secret itself');
    try {
      this.#sending.egress.check(url);
    } catch (error) {
      throw invalidInput('url', messageOf(error));
    }
    const encrypted = concealText(url, this.#vault.hiding({ stable: true }).part);
    const parsed = new URL(encrypted);
    parsed.hash = '';
    return { url: encrypted, address: parsed.href };
  }

  #receiverOf({ address, format, secret }: StoredHook): HookReceiver {
    const plain = secret === null ? null : String(this.#cipher.decrypt(secret));
    return { url: this.#vault.decrypt(address).value, format, secret: plain };
  }

  /** Returns the change as it is stored. @throws NodewrightError INVALID */
  #checkedChange({ url: _, secret, ...change }: HookChange): Partial<StoredHook> {
    rejectViolations(filterViolations(change.filters ?? []));
    if (change.ca !== undefined && change.ca !== null) checkAuthority(change.ca);
    if (secret === undefined) return change;
    if (secret !== null) checkSigningSecret(secret);
    return { ...change, secret: secret === null ? null : this.#cipher.encrypt(secret) };
  }

  async remove(id: string): Promise<boolean> {
    if ((await this.#hooks.remove({ id })) === 0) return false;
    await this.#cache.reload();
    await this.#deliveries.remove({ hook: id });
    return true;
  }

  async deliveries(id: string, { filter, ...page }: Page): Promise<PagedList<DeliveryRecord>> {
    const stored = this.#deliveries;
    const own = { ...filter, hook: id };
    const items = await stored.find(own, { ...page, sort: page.sort ?? { createdAt: -1 } });
    return { items, total: await stored.count(own) };
  }

  async test(id: string): Promise<DeliveryRecord | undefined> {
    const hook = await this.#hooks.get(id);
    return hook && this.#atOnce(id, await this.#sending.deliveries.addAgain(id, { event: testEvent(hook) }));
  }

  async redeliver(id: string, delivery: string): Promise<DeliveryRecord | undefined> {
    for (;;) {
      const found = await this.#deliveries.get(delivery);
      if (found?.hook !== id) return undefined;
      const { deliveries } = this.#sending;
      const isWaiting = found.state === 'waiting';
      const again = await (isWaiting ? deliveries.hasten(found) : deliveries.addAgain(id, found, found.id));
      if (again !== undefined) return this.#atOnce(id, again);
    }
  }

  /** Ends the receiver's back-off: a user expects it to answer. */
  async #atOnce(hook: string, delivery: Delivery): Promise<Delivery> {
    await this.#hooks.update({ id: hook }, { $set: { misses: 0, retryAt: null } });
    this.#sending.nudge(hook);
    return delivery;
  }
}

/** The fields that make sense together only. */
export type HookReceiver = Pick<NewHook, 'url' | 'format' | 'secret'>;
const receiverFields: readonly (keyof HookReceiver)[] = ['url', 'format', 'secret'];

/** @throws NodewrightError INVALID */
export function checkReceiver({ url, format, secret }: HookReceiver): void {
  const parsed = parsedUrl(url);
  if (format === 'mail') {
    smtpRelayIn(parsed);
    if (typeof secret === 'string') smtpCredentialsIn(secret);
    return;
  }
  if (!['http:', 'https:'].includes(parsed.protocol))
    throw invalidInput('url', 'must begin with http:// or https://, or with smtp:// and the format mail');
  if (format === 'pagerduty' && typeof secret !== 'string')
    throw invalidInput('secret', 'is missing; for pagerduty it is the integration key of the service');
}

const testEvent = ({ id, name }: HookRecord): ListedEvent => ({
  id: randomUUID(),
  version: '1.0',
  type: 'hook',
  action: 'test',
  severity: 'information',
  typeId: id,
  createdAt: new Date().toISOString(),
  nodeId: null,
  data: { hookId: id, hookName: name },
});

function parsedUrl(url: string): URL {
  if (!URL.canParse(url)) throw invalidInput('url', 'is not a valid URL');
  const parsed = new URL(url);
  if (parsed.username !== '' || parsed.password !== '')
    throw invalidInput('url', 'contains a user name or a password; leave them out, and use a secret');
  return parsed;
}

/** @throws NodewrightError INVALID */
export function checkAuthority(pem: string): void {
  try {
    new X509Certificate(pem);
  } catch {
    throw invalidInput('ca', 'is not a certificate in PEM format');
  }
}

async function unlessTaken<T>(url: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof DuplicateError) throw new NodewrightError('DUPLICATE', `a hook for ${url} already exists`);
    throw error;
  }
}
