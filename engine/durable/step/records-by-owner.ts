/**
 * Records of a step's row by id, which are also found by their owner. One step may end a thousand of them, and a scan or a copy for
 * each would take the square of their number.
 */

/** Most steps look up less often, and do without an index. */
const SCANS = 16;
/** Records that are copied without those that are deleted: an object after a `delete` is slow to copy and to write as JSON. */
const COPIED = 100;

type Rows<Name extends string, T> = { [name in Name]: Record<string, T> };

export class RecordsByOwner<Name extends string, T, Owner> {
  readonly #row: Rows<Name, T>;
  readonly #name: Name;
  readonly #ownerOf: (record: T, id: string) => Owner | undefined;
  #index: Map<Owner, Set<string>> | undefined;
  #scans = 0;
  #count: number | undefined;
  #areMany = false;

  /**
   * @param row its records are changed in place
   * @param ownerOf the same for each record of an id; undefined: it has none
   */
  constructor(row: Rows<Name, T>, name: Name, ownerOf: (record: T, id: string) => Owner | undefined) {
    this.#row = row;
    this.#name = name;
    this.#ownerOf = ownerOf;
  }

  /** Returns the ids of an owner's records, in the order in which they were added. */
  idsOf(owner: Owner): string[] {
    const records = this.#row[this.#name];
    this.#scans += 1;
    if (this.#scans > SCANS) return [...(this.#idsByOwner().get(owner) ?? [])];
    const ids: string[] = [];
    for (const id in records) if (this.#ownerOf(records[id] as T, id) === owner) ids.push(id);
    return ids;
  }

  of(owner: Owner): T[] {
    const records = this.#row[this.#name];
    return this.idsOf(owner).map((id) => records[id] as T);
  }

  /** Returns how many records have an owner. */
  get count(): number {
    if (this.#count !== undefined) return this.#count;
    const records = this.#row[this.#name];
    let count = 0;
    for (const id in records) if (this.#ownerOf(records[id] as T, id) !== undefined) count += 1;
    this.#count = count;
    return count;
  }

  set(id: string, record: T): void {
    const records: Record<string, T> = this.#row[this.#name];
    if (this.#count !== undefined && !(id in records) && this.#ownerOf(record, id) !== undefined) this.#count += 1;
    records[id] = record;
    if (this.#index !== undefined) this.#add(this.#index, id, record);
  }

  delete(...ids: readonly string[]): void {
    const records = this.#row[this.#name];
    const present = ids.filter((id) => id in records);
    if (present.length === 0) return;
    for (const id of present) {
      const owner = this.#ownerOf(records[id] as T, id);
      if (owner === undefined) continue;
      this.#index?.get(owner)?.delete(id);
      if (this.#count !== undefined) this.#count -= 1;
    }
    if (this.#areMany || present.length > COPIED) for (const id of present) delete records[id];
    else this.#row[this.#name] = this.#without(records, present);
  }

  #without(records: Record<string, T>, ids: readonly string[]): Record<string, T> {
    const others: Record<string, T> = {};
    let count = 0;
    for (const id in records) {
      if (ids.includes(id)) continue;
      others[id] = records[id] as T;
      count += 1;
    }
    this.#areMany = count > COPIED;
    return others;
  }

  #idsByOwner(): Map<Owner, Set<string>> {
    if (this.#index !== undefined) return this.#index;
    const index = new Map<Owner, Set<string>>();
    const records = this.#row[this.#name];
    for (const id in records) this.#add(index, id, records[id] as T);
    this.#index = index;
    return index;
  }

  #add(index: Map<Owner, Set<string>>, id: string, record: T): void {
    const owner = this.#ownerOf(record, id);
    if (owner === undefined) return;
    const ids = index.get(owner);
    if (ids === undefined) index.set(owner, new Set([id]));
    else ids.add(id);
  }
}
