/**
 * The stored audit log: one chain for all processes. Entries are stored in groups; a group is one document, written once,
 * whose id is the `seq` of its first entry.
 *
 * 1. A process that appends links its group to the newest one and inserts it under the next id. Of several processes only
 *    one can insert a document with that id; the others read the newest group and try again. No lock is needed, `seq` has
 *    no gaps, and a process that dies has inserted its group or has not.
 * 2. Removal starts at the oldest group. The anchor is the last removed entry; it is saved before anything is removed, and
 *    only grows. Groups up to the anchor count as removed.
 * 3. A write whose outcome is unknown is repeated with the same token: the token in the store says whether it was made.
 * 4. An insertion is confirmed by a read of the anchor after it: if the chain went on and was removed in between, the id
 *    was free again, and the group would be beside the chain. The anchor covers it then, and it is appended again.
 */
import type { AuditEntry, AuditRecord, ChainEnd } from '../../api-port/index.ts';
import {
  type Collection,
  type CollectionSpec,
  DuplicateError,
  type Store,
  type VersionedDocument,
} from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isObject, listIn } from '../../vocabulary/json.ts';
import { CHAIN_START, entryHash } from './chain.ts';

export const auditSpec: CollectionSpec = { name: 'audit', indexes: {} };
export const anchorSpec: CollectionSpec = { name: 'auditanchor', indexes: {} };

/** The most entries of a document. */
export const GROUP_LIMIT = 100;
/** Documents in memory at a time; mostly with one entry, at most 5 MB. */
const GROUPS_PER_PAGE = 100;
/** Appends of other processes in sequence that may come first. */
const RACE_LIMIT = 200;
/** Groups that are followed one by one; a process that appends nothing for a while finds more. */
const HOP_LIMIT = 50;
const ANCHOR = 'anchor';

interface Group {
  /** The first `seq`, with leading zeros, so that ids have the order of the entries. */
  id: string;
  /** Distinguishes these records from others under the same id. */
  token: string;
  entries: AuditEntry[];
}

interface Anchor extends VersionedDocument, ChainEnd {}

export type NewRecord = AuditRecord & { at: string };

const idOf = (seq: number): string => String(Math.max(0, seq)).padStart(16, '0');

/** The entries as stored, which others may have changed there. A verification finds the gap of a value that is no object. */
const entriesIn = ({ entries }: Group): AuditEntry[] => (listIn(entries) as AuditEntry[]).filter(isObject);

/** A group whose entries were deleted in the store has a number too: the chain is broken there, and continues after them. */
const endOf = (group: Group): ChainEnd => entriesIn(group).at(-1) ?? { ...CHAIN_START, seq: Number(group.id) };

export class AuditStore {
  readonly #groups: Collection<Group>;
  readonly #anchors: Collection<Anchor>;
  /** As this process last saw it. */
  #end: ChainEnd | undefined;
  /** A group that may have been inserted. */
  #doubt: Group | undefined;

  constructor(groups: Collection<Group>, anchors: Collection<Anchor>) {
    this.#groups = groups;
    this.#anchors = anchors;
  }

  /**
   * Must not be called concurrently. After a failure, call it again with the same arguments.
   * @param records at most `GROUP_LIMIT` @param token unique for these records
   * @throws NodewrightError UNAVAILABLE
   */
  async append(records: readonly NewRecord[], token: string): Promise<void> {
    if (this.#doubt !== undefined && (await this.#isLinked(this.#doubt, false))) return;
    for (let lost = 0; lost < RACE_LIMIT; lost += 1) {
      const end = this.#end ?? (await this.#newestEnd());
      this.#end = undefined;
      const group = groupAfter(end, records, token);
      this.#doubt = group;
      if (await this.#isLinked(group, await this.#insertGroup(group))) return;
      this.#end = await this.#endAfter(end);
    }
    throw new NodewrightError('UNAVAILABLE', `${RACE_LIMIT} groups of audit entries of other processes came first`);
  }

  /** @returns false if there is a group with the id; it may be this one */
  async #insertGroup(group: Group): Promise<boolean> {
    try {
      await this.#groups.insert(group);
      return true;
    } catch (error) {
      if (error instanceof DuplicateError) return false;
      throw error;
    }
  }

  /** @param isInserted this process has just inserted it; otherwise the store is asked */
  async #isLinked(group: Group, isInserted: boolean): Promise<boolean> {
    const isStored = isInserted || (await this.#groups.get(group.id))?.token === group.token;
    const isLinked = isStored && idOf((await this.anchor()).seq) < group.id;
    this.#doubt = undefined;
    if (isLinked) this.#end = endOf(group);
    return isLinked;
  }

  /**
   * Follows the groups of other processes by their ids. A search for the newest one reads all of them in FerretDB, which two
   * daemons would do for every second entry.
   * @returns undefined: they are removed by now, or too many
   */
  async #endAfter(end: ChainEnd): Promise<ChainEnd | undefined> {
    let last: ChainEnd | undefined;
    for (let hops = 0; hops < HOP_LIMIT; hops += 1) {
      const group = await this.#groups.get(idOf((last ?? end).seq + 1));
      // Read after the groups: beyond the anchor there are those of the chain only.
      if (group === undefined) return (await this.anchor()).seq > end.seq ? undefined : last;
      last = endOf(group);
    }
    return undefined;
  }

  async #newestEnd(): Promise<ChainEnd> {
    const [newest] = await this.#groups.find({}, { sort: { id: -1 }, limit: 1 });
    const anchor = await this.anchor();
    // A group that begins up to the anchor is beside the chain, also if it has entries beyond.
    return newest !== undefined && newest.id > idOf(anchor.seq) ? endOf(newest) : anchor;
  }

  /** Returns the last removed entry. */
  async anchor(): Promise<ChainEnd> {
    return (await this.#anchors.get(ANCHOR)) ?? CHAIN_START;
  }

  /** Yields the stored entries after `after`, in their order. They are as stored: they may have been changed there. */
  async *entries(after: number): AsyncGenerator<AuditEntry> {
    for await (const group of this.#after(after)) {
      for (const entry of entriesIn(group)) if (!(entry.seq <= after)) yield entry;
    }
  }

  /** Yields the groups that may have entries after `after`, without removed ones. */
  async *#after(after: number): AsyncGenerator<Group> {
    const { seq } = await this.anchor();
    for (let id = idOf(Math.max(seq, after - GROUP_LIMIT)); ; ) {
      const page = await this.#groups.find({ id: { $gt: id } }, { limit: GROUPS_PER_PAGE });
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < GROUPS_PER_PAGE) return;
      id = last.id;
    }
  }

  /** Removes the groups whose entries are all older. @param goesOn asked before anything is removed */
  async removeBefore(at: string, goesOn: () => Promise<boolean>): Promise<void> {
    let last: ChainEnd | undefined;
    for await (const group of this.#after(0)) {
      const newest = entriesIn(group).at(-1);
      if (newest === undefined || newest.at >= at) break;
      last = { seq: newest.seq, hash: newest.hash };
    }
    if (last !== undefined && (await goesOn())) await this.#raise(last);
    const { seq } = await this.anchor();
    await this.#groups.remove({ id: { $lte: idOf(seq) } });
  }

  /** Moves the anchor forward. */
  async #raise({ seq, hash }: ChainEnd): Promise<void> {
    const anchor = await this.#anchors.get(ANCHOR);
    if (anchor === undefined) await this.#anchors.insertMissing([{ id: ANCHOR, version: 1, seq, hash }]);
    else if (anchor.seq < seq) await this.#anchors.replace([{ ...anchor, version: anchor.version + 1, seq, hash }]);
  }
}

/** Links the records to the end of the chain. */
function groupAfter(end: ChainEnd, records: readonly NewRecord[], token: string): Group {
  const entries: AuditEntry[] = [];
  for (const record of records) {
    const { seq, hash } = entries.at(-1) ?? end;
    const entry = { ...record, seq: seq + 1, previous: hash };
    entries.push({ ...entry, hash: entryHash(entry) });
  }
  return { id: idOf(end.seq + 1), token, entries };
}

export async function openAuditStore(store: Pick<Store, 'collection'>): Promise<AuditStore> {
  return new AuditStore(await store.collection<Group>(auditSpec), await store.collection<Anchor>(anchorSpec));
}
