/** The part of an entry of the journal that says how one row changed. */
import type { Delta } from './delta.ts';

export type JournalRecord = readonly [kind: string, id: string, version: number, change: JournalChange];

/** A new row; or what a step changed of the version `from`. null: the row was removed. */
type JournalChange = { row: object } | { from: number; delta: Delta } | null;
