/**
 * Obms: how to reach a node's power control and BMC; and ibms: how to reach the system that runs on a node. A node has at
 * most one per service. The config is encrypted at
 * rest and shown without secrets; only tasks get it complete.
 */
import { randomUUID } from 'node:crypto';
import type { TSchema } from 'typebox';
import type { AccessService, NewObm, ObmRecord, ObmRef, Obms, Page, PagedList } from '../../api-port/index.ts';
import type { ObmService } from '../../define/node.ts';
import type { EventPublisher } from '../../events/outbox/event-publisher.ts';
import { nodeEvent, type PendingEvent, type UnpublishedEvents } from '../../events/outbox/pending-event.ts';
import { type HasPendingEvents, type PendingEvents, pendingIndex } from '../../events/outbox/pending-events.ts';
import type { RotatingObms } from '../../hardware/obm/bmc-account.ts';
import { configViolations, obmSchemas } from '../../hardware/obm/obm-settings.ts';
import { configSecrets, shownConfig } from '../../hardware/obm/shown-config.ts';
import { pause } from '../../platform/lib/pause.ts';
import type { Cipher } from '../../platform/secrets/secrets.ts';
import { pages, readerBy } from '../../platform/store/pages.ts';
import { type Collection, type CollectionSpec, DuplicateError } from '../../platform/store/port.ts';
import { REDACTED } from '../../vocabulary/encrypted-values.ts';
import { invalidInput, rejectViolations } from '../../vocabulary/errors.ts';
import { type JsonObject, property } from '../../vocabulary/json.ts';
import { type ExistingNodes, removeFromMissing, type TouchNode } from './dependents.ts';

export const obmSpec: CollectionSpec = {
  name: 'obms',
  indexes: {
    nodeId: 'text',
    service: 'text',
    key: 'text',
    host: 'text',
    outletHosts: 'texts',
    createdAt: 'text',
    updatedAt: 'text',
    ...pendingIndex,
  },
  unique: ['key'],
};

export const ibmSpec: CollectionSpec = { ...obmSpec, name: 'ibms' };

export interface StoredObm<Service extends AccessService = ObmService> extends HasPendingEvents {
  id: string;
  nodeId: string;
  service: Service;
  /** Node and service. */
  key: string;
  /** Address of the BMC, in lower case; unencrypted, so that a sender can be found by it. */
  host: string | null;
  /** Addresses of the PDUs whose outlets it switches, likewise. */
  outletHosts: string[];
  /** Encrypted. */
  config: string;
  /** Encrypted; the password that may take the place of that in the config. */
  next?: string;
  createdAt: string;
  updatedAt: string;
}

export class ObmRequests<Service extends AccessService = ObmService> implements Obms<Service> {
  readonly #kind: 'obms' | 'ibms';
  readonly #stored: Collection<StoredObm<Service>>;
  readonly #pending: PendingEvents<StoredObm<Service>>;
  readonly #publisher: EventPublisher;
  readonly #cipher: Cipher;
  readonly #existingNodes: ExistingNodes;
  readonly #touch: TouchNode;

  /** @param touch called after a node's obms have changed, before the event is published */
  /** Returns the obms whose BMCs have an address or name. */
  readonly withHost: (host: string) => Promise<{ nodeId: string }[]>;

  constructor(
    kind: 'obms' | 'ibms',
    stored: Collection<StoredObm<Service>>,
    pending: PendingEvents<StoredObm<Service>>,
    publisher: EventPublisher,
    cipher: Cipher,
    existingNodes: ExistingNodes,
    touch: TouchNode,
  ) {
    this.#kind = kind;
    this.#stored = stored;
    this.withHost = readerBy(stored, 'host');
    this.#pending = pending;
    this.#publisher = publisher;
    this.#cipher = cipher;
    this.#existingNodes = existingNodes;
    this.#touch = touch;
  }

  schemaOf(service: Service): TSchema {
    return obmSchemas[service];
  }

  #event(node: string) {
    return nodeEvent(`${this.#kind}.updated`, node);
  }

  async list({ filter, ...page }: Page): Promise<PagedList<ObmRecord<Service>>> {
    const storedObms = await this.#stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: storedObms.map((obm) => this.#obmRecord(obm)), total: await this.#stored.count(filter) };
  }

  async get(id: string): Promise<ObmRecord<Service> | undefined> {
    const storedObm = await this.#stored.get(id);
    return storedObm && this.#obmRecord(storedObm);
  }

  #obmRecord({ id, nodeId, service, config, createdAt, updatedAt }: StoredObm<Service>): ObmRecord<Service> {
    const open = this.#cipher.decrypt(config) as Record<string, unknown>;
    return { id, nodeId, service, config: shownConfig(service, open), createdAt, updatedAt };
  }

  async put(nodeId: string, given: NewObm<Service>): Promise<ObmRecord<Service>> {
    const { obm, unpublished } = await this.set(nodeId, given);
    await this.#publishChange(nodeId, unpublished);
    return obm;
  }

  async #publishChange(nodeId: string, unpublished: readonly UnpublishedEvents[]): Promise<void> {
    await this.#touch(nodeId);
    await this.#publisher.publish(unpublished);
  }

  /** Like `put`, but leaves the publication of the events to the caller. */
  async set(
    nodeId: string,
    { service, config = {} }: NewObm<Service>,
  ): Promise<{ obm: ObmRecord<Service>; unpublished: UnpublishedEvents[] }> {
    this.check({ service, config });
    const { obm, encrypted } = this.#newObm(nodeId, service, config);
    const { key } = obm;
    const event = this.#event(nodeId);
    const change = () => this.#pending.update({ key }, { $set: encrypted }, event);
    const insertObm = async () => {
      const unpublished = await this.#insertObm(obm);
      return unpublished && { found: obm, unpublished };
    };
    const set = (await change()) ?? (await insertObm()) ?? (await change());
    await removeFromMissing(this.#existingNodes, [nodeId], () => this.forget(nodeId));
    return { obm: this.#obmRecord(set?.found ?? obm), unpublished: set === undefined ? [] : [set.unpublished] };
  }

  /** Validates an obm before anything is changed. @throws NodewrightError INVALID */
  check({ service, config = {} }: NewObm<Service>): void {
    rejectRedacted(service, config);
    rejectUseless(service, config);
  }

  #newObm(nodeId: string, service: Service, config: Record<string, unknown>) {
    const now = new Date().toISOString();
    const encrypted = { config: this.#cipher.encrypt(config), ...hostsOf(config), updatedAt: now };
    const key = `${nodeId} ${service}`;
    return { obm: { id: randomUUID(), nodeId, service, key, createdAt: now, ...encrypted }, encrypted };
  }

  /** Adds checked obms to nodes that have none, in one request. Of several with one service, the last one counts. */
  async addToNew(
    nodes: readonly (readonly [id: string, obms: readonly NewObm<Service>[]])[],
  ): Promise<UnpublishedEvents[]> {
    const added: [StoredObm<Service>, PendingEvent[]][] = [];
    for (const [nodeId, obms] of nodes) {
      await pause();
      for (const { service, config = {} } of new Map(obms.map((obm) => [obm.service, obm])).values())
        added.push([this.#newObm(nodeId, service, config).obm, [this.#event(nodeId)]]);
    }
    const unpublished = await this.#pending.insertAll(added);
    const ids = [...new Set(added.map(([{ nodeId }]) => nodeId))];
    if (ids.length > 0) await removeFromMissing(this.#existingNodes, ids, (missing) => this.forgetAll(missing));
    return unpublished;
  }

  async #insertObm(obm: StoredObm<Service>): Promise<UnpublishedEvents | undefined> {
    try {
      return await this.#pending.insert(obm, [this.#event(obm.nodeId)]);
    } catch (error) {
      if (error instanceof DuplicateError) return undefined;
      throw error;
    }
  }

  async remove(id: string): Promise<boolean> {
    const obm = await this.#stored.get(id);
    if (obm === undefined) return false;
    const event = this.#event(obm.nodeId);
    const { count, unpublished } = await this.#pending.remove([obm], () => [event], id);
    await this.#publishChange(obm.nodeId, unpublished === undefined ? [] : [unpublished]);
    return count > 0;
  }

  /** Returns the complete config, for tasks. */
  async config(nodeId: string, service: string): Promise<Record<string, unknown> | undefined> {
    const [storedObm] = await this.#stored.find({ key: `${nodeId} ${service}` }, { limit: 1 });
    return storedObm && (this.#cipher.decrypt(storedObm.config) as Record<string, unknown>);
  }

  /** Returns the obms of a node, for the rotation of their passwords. */
  rotatingObms(nodeId: string): RotatingObms {
    const keyOf = (service: string) => `${nodeId} ${service}`;
    const read = async (service: string, version?: string) => {
      const [obm] = await this.#stored.find({ key: keyOf(service) }, { limit: 1 });
      return version === undefined || (obm && versionOf(obm) === version) ? obm : undefined;
    };
    /** As it was read: config and kept password are ciphertexts that differ each time. */
    const asRead = ({ key, config, next }: StoredObm<Service>) => ({ key, config, next: next ?? { $exists: false } });
    return {
      get: async (service) => {
        const obm = await read(service);
        if (obm === undefined) return undefined;
        const { config, next } = obm;
        return {
          config: this.#cipher.decrypt(config) as Record<string, unknown>,
          ...(next !== undefined && { next: this.#cipher.decrypt(next) as string }),
          version: versionOf(obm),
        };
      },
      keep: async (service, next, version) => {
        const obm = await read(service, version);
        if (obm === undefined) return false;
        const change = next === undefined ? { $unset: { next: '' } } : { $set: { next: this.#cipher.encrypt(next) } };
        return (await this.#stored.update(asRead(obm), change)) !== undefined;
      },
      use: async (service, version) => {
        const obm = await read(service, version);
        if (obm?.next === undefined) return false;
        const config = this.#cipher.decrypt(obm.config) as Record<string, unknown>;
        const password = this.#cipher.decrypt(obm.next);
        const $set = {
          config: this.#cipher.encrypt({ ...config, password }),
          updatedAt: new Date().toISOString(),
        };
        const change = { $set, $unset: { next: '' } };
        const changed = await this.#pending.update(asRead(obm), change, this.#event(nodeId));
        if (changed !== undefined) await this.#publishChange(nodeId, [changed.unpublished]);
        return changed !== undefined;
      },
    };
  }

  /** Returns the nodes whose BMCs have these addresses. @param hosts addresses or names */
  async at(hosts: readonly string[]): Promise<{ host: string; nodeId: string }[]> {
    const storedObms = await this.#stored.find({ host: { $in: [...hosts] } }, { sort: { updatedAt: -1 } });
    return storedObms.map(({ host, nodeId }) => ({ host: host ?? '', nodeId }));
  }

  /** Returns the nodes with outlets of the PDUs at these addresses. @param hosts addresses or names */
  async fedBy(hosts: readonly string[]): Promise<{ host: string; nodeId: string }[]> {
    const fed: { host: string; nodeId: string }[] = [];
    for await (const { outletHosts, nodeId } of pages(this.#stored, { outletHosts: { $in: [...hosts] } }))
      fed.push(...outletHosts.filter((host) => hosts.includes(host)).map((host) => ({ host, nodeId })));
    return fed;
  }

  /** Returns the addresses or names in the obms of a node. */
  async hosts(nodeId: string): Promise<string[]> {
    const storedObms = await this.#stored.find({ nodeId });
    return [...new Set(storedObms.flatMap(({ host }) => host ?? []))];
  }

  /** @returns the obms of each node, by node id */
  async refs(nodes: readonly string[]): Promise<Map<string, ObmRef[]>> {
    const refs = new Map<string, ObmRef[]>();
    for await (const { id, nodeId, service } of pages(this.#stored, { nodeId: { $in: [...nodes] } })) {
      refs.set(nodeId, [...(refs.get(nodeId) ?? []), { ref: `/api/2.0/${this.#kind}/${id}`, service }]);
    }
    return refs;
  }

  /** Returns the services of the node's obms. */
  async services(nodeId: string): Promise<string[]> {
    return ((await this.refs([nodeId])).get(nodeId) ?? []).map(({ service }) => service);
  }

  async forget(nodeId: string): Promise<void> {
    await this.#stored.remove({ nodeId });
  }

  async forgetAll(nodeIds: readonly string[]): Promise<void> {
    await this.#stored.remove({ nodeId: { $in: [...nodeIds] } });
  }
}

const versionOf = ({ config, next = '' }: { config: string; next?: string }): string => `${config} ${next}`;

/** Rejects secrets in their redacted form: a change has to give them again. @throws NodewrightError INVALID */
function rejectRedacted(service: string, config: Record<string, unknown>): void {
  if (!configSecrets(service, config).includes(REDACTED)) return;
  throw invalidInput(
    'config',
    `has ${REDACTED} instead of a secret, which is only how secrets are shown; give the secret itself`,
  );
}

/** Rejects a config with which no task can ever reach anything. @throws NodewrightError INVALID */
function rejectUseless(service: AccessService, config: Record<string, unknown>): void {
  const violations = configViolations(service, config);
  rejectViolations(violations.map(({ path, message }) => ({ path: `config.${path}`, message })));
}

/** Returns the addresses in a config by which nodes are found. */
export const hostsOf = (config: JsonObject): Pick<StoredObm, 'host' | 'outletHosts'> => ({
  host: hostOf(config),
  outletHosts: outletHostsIn(config),
});

function outletHostsIn({ outlets }: JsonObject): string[] {
  const hosts = Array.isArray(outlets) ? outlets.map((outlet) => property(outlet, 'host')) : [];
  return [...new Set(hosts.filter((host) => typeof host === 'string').map((host) => host.toLowerCase()))];
}

/** Returns the host from the field `host` or `uri`; null when both are missing. */
function hostOf({ host, uri }: Record<string, unknown>): string | null {
  if (typeof host === 'string' && host !== '') return host.toLowerCase();
  return typeof uri === 'string' && URL.canParse(uri) ? new URL(uri).hostname.replace(/^\[|\]$/g, '') : null;
}
