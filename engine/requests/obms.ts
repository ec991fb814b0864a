/**
 * Obms: how a node's power and BMC are reached. A node has at most one of each service. What the config holds is
 * encrypted at rest and shown without its secrets; only tasks get it whole.
 */
import { randomUUID } from 'node:crypto';
import type { NewObm, ObmRecord, ObmRef, Obms, Page, Paged } from '../api-port/index.ts';
import { redact } from '../library/redact.ts';
import { pages } from '../runtime/pages.ts';
import type { Seal } from '../secrets.ts';
import { type Collection, type CollectionSpec, DuplicateError } from '../store/port.ts';
import { hung, type Known } from './hanging.ts';

export const obmSpec: CollectionSpec = {
  name: 'obms',
  indexes: { nodeId: 'text', service: 'text', key: 'text', createdAt: 'text' },
  unique: ['key'],
};

export interface StoredObm {
  id: string;
  nodeId: string;
  service: string;
  /** Node and service. */
  key: string;
  /** Sealed. */
  config: string;
  createdAt: string;
  updatedAt: string;
}

export interface ObmsPort {
  seal: Seal;
  known: Known;
  /** Called after a node's obms have changed. */
  changed(nodeId: string): Promise<void>;
}

export class ObmRequests implements Obms {
  readonly #stored: Collection<StoredObm>;
  readonly #seal: Seal;
  readonly #known: Known;
  readonly #changed: (nodeId: string) => Promise<void>;

  constructor(stored: Collection<StoredObm>, { seal, known, changed }: ObmsPort) {
    this.#stored = stored;
    this.#seal = seal;
    this.#known = known;
    this.#changed = changed;
  }

  async list({ filter, ...page }: Page): Promise<Paged<ObmRecord>> {
    const found = await this.#stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: found.map((obm) => this.#shown(obm)), total: await this.#stored.count(filter) };
  }

  async get(id: string): Promise<ObmRecord | undefined> {
    const found = await this.#stored.get(id);
    return found && this.#shown(found);
  }

  #shown({ id, nodeId, service, config, createdAt, updatedAt }: StoredObm): ObmRecord {
    const open = redact(undefined, this.#seal.open(config)) as Record<string, unknown>;
    return { id, nodeId, service, config: open, createdAt, updatedAt };
  }

  async put(nodeId: string, obm: NewObm): Promise<ObmRecord> {
    const put = await this.set(nodeId, obm);
    await this.#changed(nodeId);
    return put;
  }

  /** The same, told to nobody: for a node that nobody knows yet. */
  async set(nodeId: string, { service, config = {} }: NewObm): Promise<ObmRecord> {
    const key = `${nodeId} ${service}`;
    const now = new Date().toISOString();
    const sealed = { config: this.#seal.seal(config), updatedAt: now };
    const obm = { id: randomUUID(), nodeId, service, key, createdAt: now, ...sealed };
    const change = () => this.#stored.update({ key }, { $set: sealed });
    const put = (await change()) ?? (await this.#inserted(obm)) ?? (await change());
    await hung(this.#known, [nodeId], () => this.forget(nodeId));
    return this.#shown(put ?? obm);
  }

  async #inserted(obm: StoredObm): Promise<StoredObm | undefined> {
    try {
      await this.#stored.insert(obm);
      return obm;
    } catch (error) {
      if (error instanceof DuplicateError) return undefined;
      throw error;
    }
  }

  async remove(id: string): Promise<boolean> {
    const obm = await this.#stored.get(id);
    if (obm === undefined || (await this.#stored.remove({ id })) === 0) return false;
    await this.#changed(obm.nodeId);
    return true;
  }

  /** Whole, for tasks. */
  async config(nodeId: string, service: string): Promise<Record<string, unknown> | undefined> {
    const [found] = await this.#stored.find({ key: `${nodeId} ${service}` }, { limit: 1 });
    return found && (this.#seal.open(found.config) as Record<string, unknown>);
  }

  /** @returns by node: its obms */
  async refs(nodes: readonly string[]): Promise<Map<string, ObmRef[]>> {
    const refs = new Map<string, ObmRef[]>();
    for await (const { id, nodeId, service } of pages(this.#stored, { nodeId: { $in: [...nodes] } })) {
      refs.set(nodeId, [...(refs.get(nodeId) ?? []), { ref: `/api/2.0/obms/${id}`, service }]);
    }
    return refs;
  }

  async forget(nodeId: string): Promise<void> {
    await this.#stored.remove({ nodeId });
  }
}
