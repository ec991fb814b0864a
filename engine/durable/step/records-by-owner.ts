/**
 * Records of a step's row by id, which are also found by their owner. One step may end a thousand of them, and a scan or a
 * copy for each would take the square of their number.
 */

/** Records that a step scans or copies before it makes an index, which few records never need. */
const SCANNED = 10_000;

type Rows<Name extends string, T> = { [name in Name]: Record<string, T> };

export class RecordsByOwner<Name extends string, T, Owner> {
  readonly #row: Rows<Name, T>;
  readonly #name: Name;
  readonly #ownerOf: (record: T, id: string) => Owner | undefined;
  #scanned = 0;
  #index: Map<Owner, Set<string>> | undefined;

  /**
   * @param row its records are changed in place
   * @param ownerOf the same for each record of an id; undefined: it has none
   */
  constructor(row: Rows<Name, T>, name: Name, ownerOf: (record: T, id: string) => Owner | undefined) {
    this.#row = row;
    this.#name = name;
    this.#ownerOf = ownerOf;
  }

  /** Returns an owner's records, in the order in which they were added. */
  of(owner: Owner): T[] {
    const records = this.#row[this.#name];
    return this.idsOf(owner).map((id) => records[id] as T);
  }

  idsOf(owner: Owner): string[] {
    if (this.#scanned > SCANNED) return [...(this.#idsByOwner().get(owner) ?? [])];
    const records = this.#row[this.#name];
    const ids: string[] = [];
    for (const id in records) {
      this.#scanned += 1;
      if (this.#ownerOf(records[id] as T, id) === owner) ids.push(id);
    }
    return ids;
  }

  /** Whether no record has an owner. */
  get areUnowned(): boolean {
    if (this.#scanned > SCANNED) return this.#idsByOwner().size === 0;
    const records = this.#row[this.#name];
    for (const id in records) {
      this.#scanned += 1;
      if (this.#ownerOf(records[id] as T, id) !== undefined) return false;
    }
    return true;
  }

  set(id: string, record: T): void {
    const records: Record<string, T> = this.#row[this.#name];
    records[id] = record;
    if (this.#index !== undefined) this.#add(this.#index, id, record);
  }

  deleteOf(owner: Owner): void {
    for (const id of this.idsOf(owner)) this.delete(id);
  }

  /** Copies few records: an object after a `delete` is slow to copy and to write as JSON. */
  delete(id: string): void {
    const records = this.#row[this.#name];
    const record = records[id];
    if (record === undefined) return;
    if (this.#scanned > SCANNED) {
      const owner = this.#ownerOf(record, id) as Owner;
      const ids = this.#idsByOwner().get(owner);
      ids?.delete(id);
      if (ids?.size === 0) this.#idsByOwner().delete(owner);
      delete records[id];
      return;
    }
    const others: Record<string, T> = {};
    for (const other in records) {
      this.#scanned += 1;
      if (other !== id) others[other] = records[other] as T;
    }
    this.#row[this.#name] = others;
  }

  #idsByOwner(): Map<Owner, Set<string>> {
    if (this.#index !== undefined) return this.#index;
    this.#index = new Map();
    const records = this.#row[this.#name];
    for (const id in records) this.#add(this.#index, id, records[id] as T);
    return this.#index;
  }

  #add(index: Map<Owner, Set<string>>, id: string, record: T): void {
    const owner = this.#ownerOf(record, id);
    if (owner === undefined) return;
    const ids = index.get(owner);
    if (ids === undefined) index.set(owner, new Set([id]));
    else ids.add(id);
  }
}
