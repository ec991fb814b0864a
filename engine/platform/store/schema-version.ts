/**
 * The version of the data in a store: one number in each. It is raised by a change that older daemons could not
 * use or would damage; a new optional field, collection or index does not raise it.
 *
 * 1. A store without a number has version 1, or is empty; for the upgrades that is the same.
 * 2. A higher number than this daemon's: rejected before anything is changed.
 * 3. An upgrade first raises the number and records the version that it begins from. Older daemons are rejected from then
 *    on. A start that finds the record repeats the upgrades: the daemon before was killed, or another one is at it.
 * 4. While daemons of the older version run, nothing is upgraded.
 */
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { CollectionSpec, Document, Store } from './port.ts';

export const SCHEMA_VERSION = 2;

/** The embedded store has a journal, which older daemons do not know: the last steps would be lost. */
export const EMBEDDED_SCHEMA_VERSION = 3;

/** The version of stores without a number. */
const UNNUMBERED = 1;

export interface SchemaNumber {
  number: number;
  /** The version that an unfinished upgrade began from; absent: there is none. */
  from?: number;
}

/** The number in one store. */
export interface SchemaMark {
  /** Completes "the data of ...". */
  readonly place: string;
  read(): Promise<SchemaNumber | undefined>;
  /** Changes nothing if the number has become as high in the meantime. */
  begin(to: number, from: number): Promise<void>;
  /** Changes nothing if the number is another one. */
  finish(number: number): Promise<void>;
}

/**
 * Changes the data of the version before. It may be repeated, and run beside itself and beside daemons of the new
 * version: it changes a document by compare-and-set only, and leaves a changed one alone.
 */
export type SchemaUpgrade = () => Promise<void>;

export interface VersionedPart {
  mark: SchemaMark;
  /** By the version that each upgrade leads to. Without one, daemons of the version before may run beside this one. */
  upgrades: Readonly<Record<number, SchemaUpgrade>>;
}

/** @throws NodewrightError SCHEMA_NEWER */
export async function checkSchemaVersion(mark: SchemaMark, expected = SCHEMA_VERSION): Promise<SchemaNumber> {
  const found = (await mark.read()) ?? { number: UNNUMBERED };
  if (found.number <= expected) return found;
  throw new NodewrightError(
    'SCHEMA_NEWER',
    `the data of ${mark.place} has schema version ${found.number} of a newer nodewright, expected at most ${expected}; ` +
      'run that version, or restore a backup from before its upgrade',
  );
}

/**
 * Checks all parts, then upgrades each.
 * @param othersRun whether other daemons use the stores
 * @throws NodewrightError SCHEMA_NEWER, SCHEMA_IN_USE
 */
export async function prepareSchema(
  parts: readonly VersionedPart[],
  othersRun: () => Promise<boolean>,
  expected = SCHEMA_VERSION,
): Promise<void> {
  for (const { mark } of parts) await checkSchemaVersion(mark, expected);
  for (const { mark, upgrades } of parts) {
    const { number, from = number } = await checkSchemaVersion(mark, expected);
    if (from === expected) continue;
    const steps = Array.from({ length: expected - from }, (_, at) => upgrades[from + 1 + at]).filter(
      (step) => step !== undefined,
    );
    if (steps.length > 0) await checkAlone(mark, othersRun, expected);
    await mark.begin(expected, from);
    for (const step of steps) await step();
    await mark.finish(expected);
  }
}

/** Another daemon of this version may have finished the upgrade in the meantime. */
async function checkAlone(mark: SchemaMark, othersRun: () => Promise<boolean>, expected: number): Promise<void> {
  if (!(await othersRun())) return;
  const { number, from } = await checkSchemaVersion(mark, expected);
  if (number === expected && from === undefined) return;
  throw new NodewrightError(
    'SCHEMA_IN_USE',
    `the data of ${mark.place} has schema version ${from ?? number} and other daemons use it, expected none during its ` +
      `upgrade to ${expected}; stop all daemons, then start this one`,
  );
}

interface StoredNumber extends Document, SchemaNumber {}

/** It never gets an index: a daemon of any version reads it. */
export const schemaSpec: CollectionSpec = { name: 'schema', indexes: {} };

const ID = 'version';

/** @param place such as `MongoDB` */
export async function documentMark(store: Store, place: string): Promise<SchemaMark> {
  const numbers = await store.collection<StoredNumber>(schemaSpec);
  return {
    place,
    read: () => numbers.get(ID),
    async begin(number, from) {
      const [isNew] = await numbers.insertMissing([{ id: ID, number, from }]);
      if (!isNew) await numbers.update({ id: ID, number: { $lt: number } }, { $set: { number, from } });
    },
    async finish(number) {
      await numbers.update({ id: ID, number }, { $unset: { from: true } });
    },
  };
}

/** Records the version that every store has: a copy of the documents has no journal. */
export async function lowerToDocuments(copy: Store): Promise<void> {
  const numbers = await copy.collection<StoredNumber>(schemaSpec);
  await numbers.update({ id: ID, number: { $gt: SCHEMA_VERSION } }, { $set: { number: SCHEMA_VERSION } });
}
