/**
 * Records of a step's row by id, which are also found by their owner. One step may end a thousand of them, and a scan or a
 * copy for each would take the square of their number.
 */
import { copyOf } from '../../platform/lib/copy.ts';

/** Records that a step scans or copies before it makes an index, which few records never need. */
const SCANNED = 10_000;
/** Fewer records are copied without a deleted one: an object after a `delete` is slow to copy and to write as JSON. */
const MANY = 100;

type Rows<Name extends string, T> = { [name in Name]: Record<string, T> };

export class RecordsByOwner<Name extends string, T, Owner> {
  readonly #row: Rows<Name, T>;
  readonly #name: Name;
  #records: Record<string, T>;
  readonly #ownerOf: (record: T, id: string) => Owner | undefined;
  #scanned = 0;
  #areMany = false;
  #isCopy = false;
  #index: Map<Owner, Set<string>> | undefined;

  /**
   * @param row its records are copied before the first change
   * @param ownerOf the same for each record of an id; undefined: it has none
   */
  constructor(row: Rows<Name, T>, name: Name, ownerOf: (record: T, id: string) => Owner | undefined) {
    this.#row = row;
    this.#name = name;
    this.#records = row[name];
    this.#ownerOf = ownerOf;
  }

  /** Returns an owner's records, in the order in which they were added. */
  of(owner: Owner): T[] {
    return this.idsOf(owner).map((id) => this.#records[id] as T);
  }

  idsOf(owner: Owner): string[] {
    if (this.#scanned > SCANNED) return [...(this.#idsByOwner().get(owner) ?? [])];
    const records = this.#records;
    const ids: string[] = [];
    let count = 0;
    for (const id in records) {
      count += 1;
      if (this.#ownerOf(records[id] as T, id) === owner) ids.push(id);
    }
    this.#noteScan(count);
    return ids;
  }

  /** Whether no record has an owner. */
  get areUnowned(): boolean {
    if (this.#scanned > SCANNED) return this.#idsByOwner().size === 0;
    const records = this.#records;
    for (const id in records) {
      this.#scanned += 1;
      if (this.#ownerOf(records[id] as T, id) !== undefined) return false;
    }
    return true;
  }

  set(id: string, record: T): void {
    this.#writableRecords()[id] = record;
    if (this.#index !== undefined) this.#add(this.#index, id, record);
  }

  deleteOf(owner: Owner): void {
    for (const id of this.idsOf(owner)) this.delete(id);
  }

  delete(id: string): void {
    const record = this.#records[id];
    if (record === undefined) return;
    if (this.#index !== undefined) this.#remove(this.#index, id, record);
    if (this.#areMany) delete this.#writableRecords()[id];
    else this.#copyWithout(id);
  }

  #copyWithout(id: string): void {
    const records = this.#records;
    const others: Record<string, T> = {};
    let count = 0;
    for (const other in records) {
      count += 1;
      if (other !== id) others[other] = records[other] as T;
    }
    this.#replaceBy(others);
    this.#noteScan(count);
  }

  #writableRecords(): Record<string, T> {
    if (!this.#isCopy) this.#replaceBy(copyOf(this.#records));
    return this.#records;
  }

  #replaceBy(records: Record<string, T>): void {
    this.#row[this.#name] = records;
    this.#records = records;
    this.#isCopy = true;
  }

  #noteScan(count: number): void {
    this.#scanned += count;
    if (count > MANY) this.#areMany = true;
  }

  #idsByOwner(): Map<Owner, Set<string>> {
    if (this.#index !== undefined) return this.#index;
    this.#index = new Map();
    const records = this.#records;
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

  #remove(index: Map<Owner, Set<string>>, id: string, record: T): void {
    const owner = this.#ownerOf(record, id);
    if (owner === undefined) return;
    const ids = index.get(owner);
    ids?.delete(id);
    if (ids?.size === 0) index.delete(owner);
  }
}
