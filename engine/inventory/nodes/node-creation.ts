/**
 * The creation of nodes: of one, or of a list of which all are created or none.
 *
 * 1. Everything is checked before anything is written. Two concurrent requests with one identifier may both succeed.
 * 2. The nodes are one write, with their pending events; then all of their relations are, and all of their obms. If a write is rejected or
 *    fails, what was written is deleted again.
 * 3. If the process dies between the writes, the nodes are there without their relations or obms. If the server of the store
 *    dies during a write of many documents, a part of them may be there: MongoDB changes single documents atomically.
 */
import { randomUUID } from 'node:crypto';
import type { NewNode, NodeRecord, RelationTargets } from '../../api-port/index.ts';
import type { EventPublisher } from '../../events/outbox/event-publisher.ts';
import { nodeEvent } from '../../events/outbox/pending-event.ts';
import type { PendingEvents } from '../../events/outbox/pending-events.ts';
import { pause } from '../../platform/lib/pause.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError, rejectViolations, type Violation, violationError } from '../../vocabulary/errors.ts';
import { namesOf } from '../../vocabulary/mac.ts';
import type { ObmRequests } from './obm-requests.ts';
import type { Relations } from './relations.ts';
import { encryptedConfig, identifiersOf, rejectTaken, type StoredNode } from './stored-node.ts';

interface Parts {
  stored: Collection<StoredNode>;
  pending: PendingEvents<StoredNode>;
  publisher: EventPublisher;
  vault: Vault;
  relations: Pick<Relations, 'check' | 'addToNew' | 'unknownTargets' | 'forgetNew'>;
  obms: Pick<ObmRequests, 'check' | 'addToNew' | 'forgetAll'>;
  /** Notes the time of a change of these nodes. */
  touch(ids: readonly string[]): Promise<void>;
  /** Returns the records in the order of the ids. */
  records(ids: readonly string[]): Promise<NodeRecord[]>;
}

interface Draft {
  node: StoredNode;
  targets: RelationTargets;
  obms: NonNullable<NewNode['obms']>;
}

/** Names in one filter. */
const NAMES_PER_QUERY = 500;

const at = (index: number, path: string): string => `[${index}].${path}`;

export class NodeCreation {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async create(input: NewNode): Promise<NodeRecord> {
    const { stored, relations, obms } = this.#parts;
    const id = randomUUID();
    await rejectTaken(stored, identifiersOf(input.identifiers ?? []), '');
    await relations.check(id, targetsOf(input));
    const draft = this.#draftOf(id, input);
    rejectViolations(draft.obms.flatMap((obm, place) => violationsOf(() => obms.check(obm), `obms.${place}.`)));
    const [node] = await this.#write([draft]);
    return node as NodeRecord;
  }

  /** @throws NodewrightError INVALID, DUPLICATE with the violations of all, such as `[3].identifiers`; CONFLICT */
  async createAll(inputs: readonly NewNode[]): Promise<NodeRecord[]> {
    const { drafts, violations } = await this.#draftsOf(inputs);
    violations.push(...(await this.#unknownTargets(inputs)));
    rejectViolations(violations.sort((a, b) => indexIn(a) - indexIn(b)));
    const duplicates = [...repetitionsIn(drafts), ...(await this.#findTaken(drafts))];
    if (duplicates.length > 0) throw violationError(duplicates, { code: 'DUPLICATE' });
    return this.#write(drafts);
  }

  async #draftsOf(inputs: readonly NewNode[]): Promise<{ drafts: Draft[]; violations: Violation[] }> {
    const violations: Violation[] = [];
    const drafts: Draft[] = [];
    for (const [index, input] of inputs.entries()) {
      await pause();
      for (const [place, obm] of (input.obms ?? []).entries())
        violations.push(...violationsOf(() => this.#parts.obms.check(obm), at(index, `obms.${place}.`)));
      violations.push(...violationsOf(() => drafts.push(this.#draftOf(randomUUID(), input)), at(index, '')));
    }
    return { drafts, violations };
  }

  #draftOf(id: string, input: NewNode): Draft {
    const { obms = [], relations: _, identifiers: names = [], tags = [], autoDiscover = false, ...given } = input;
    const now = new Date().toISOString();
    const lists = { identifiers: identifiersOf(names), tags: [...new Set(tags)], catalogs: [], workflows: [] };
    const rest = { ...lists, autoDiscover, toDiscover: autoDiscover };
    const config = encryptedConfig(this.#parts.vault, given);
    return {
      node: { id, ...given, ...config, ...rest, sku: null, createdAt: now, updatedAt: now },
      targets: targetsOf(input),
      obms,
    };
  }

  async #unknownTargets(inputs: readonly NewNode[]): Promise<Violation[]> {
    const all = await this.#parts.relations.unknownTargets(inputs.map(targetsOf));
    return all.flatMap((message, index) => (message === undefined ? [] : [{ path: at(index, 'relations'), message }]));
  }

  /** Returns a violation for each node with an identifier that a stored node has. */
  async #findTaken(drafts: readonly Draft[]): Promise<Violation[]> {
    const owners = new Map<string, string>();
    const names = [...new Set(drafts.flatMap(({ node }) => node.identifiers.flatMap(namesOf)))];
    for (let from = 0; from < names.length; from += NAMES_PER_QUERY) {
      const filter = { identifiers: { $in: names.slice(from, from + NAMES_PER_QUERY) } };
      for await (const { id, identifiers } of pages(this.#parts.stored, filter))
        for (const name of identifiers) owners.set(name, id);
    }
    return drafts.flatMap(({ node }, index) => {
      const owned = node.identifiers.flatMap((one) => namesOf(one).map((name) => [one, owners.get(name)] as const));
      const [name, owner] = owned.find(([, id]) => id !== undefined) ?? [];
      const message = `has ${name}, which the node ${owner} has already`;
      return owner === undefined ? [] : [{ path: at(index, 'identifiers'), message }];
    });
  }

  async #write(drafts: readonly Draft[]): Promise<NodeRecord[]> {
    const { pending, publisher, relations, obms, touch, records } = this.#parts;
    const ids = drafts.map(({ node }) => node.id);
    let written: Awaited<ReturnType<Relations['addToNew']>>;
    try {
      const added = await pending.insertAll(drafts.map(({ node }) => [node, [nodeEvent('added', node.id)]]));
      const { nodes, unpublished } = await relations.addToNew(drafts.map(({ node, targets }) => [node.id, targets]));
      const accessible = await obms.addToNew(drafts.map((draft) => [draft.node.id, draft.obms]));
      written = { nodes, unpublished: [...added, ...accessible, ...unpublished] };
    } catch (error) {
      await this.#undo(ids);
      throw error;
    }
    await touch(written.nodes);
    const all = await records([...ids, ...written.nodes]);
    await publisher.publish(written.unpublished, all);
    return all.slice(0, ids.length);
  }

  async #undo(ids: readonly string[]): Promise<void> {
    const { stored, relations, obms } = this.#parts;
    for (let from = 0; from < ids.length; from += NAMES_PER_QUERY) {
      const some = ids.slice(from, from + NAMES_PER_QUERY);
      await stored.remove({ id: { $in: some } });
      await Promise.all([relations.forgetNew(some), obms.forgetAll(some)]);
    }
  }
}

const targetsOf = ({ relations = [] }: NewNode): RelationTargets =>
  Object.fromEntries(relations.map(({ relationType, targets }) => [relationType, targets]));

/** Returns a violation for each node with an identifier that one before it in the list has. */
function repetitionsIn(drafts: readonly Draft[]): Violation[] {
  const first = new Map<string, number>();
  return drafts.flatMap(({ node }, index) => {
    const names = node.identifiers.flatMap(namesOf);
    const shared = names.find((name) => (first.get(name) ?? index) !== index);
    for (const name of names) if (!first.has(name)) first.set(name, index);
    if (shared === undefined) return [];
    return [{ path: at(index, 'identifiers'), message: `has ${shared}, which [${first.get(shared)}] has too` }];
  });
}

/** Returns the violations that a check throws. @throws another error of it */
function violationsOf(check: () => unknown, prefix: string): Violation[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof NodewrightError) || error.violations === undefined) throw error;
    return error.violations.map(({ path, message }) => ({ path: `${prefix}${path}`, message }));
  }
}

const indexIn = ({ path }: Violation): number => Number(/^\[(\d+)\]/.exec(path)?.[1]);
