/** The objects of an SNMP agent of a twin, of which `nw twin` makes an agent. */

export type TableValue = string | number | Buffer;

export interface AgentTable {
  /** The object of its entry. */
  oid: string;
  /** How many of the columns are the index. */
  indexes: number;
  /** Their numbers, the index first. */
  columns: readonly number[];
  rows: readonly (readonly TableValue[])[];
  /** A column that a manager may write. */
  writable?: {
    column: number;
    accepts(value: number): boolean;
    /** @param row the first number of its index */
    write(row: number, value: number): Promise<void>;
  };
}

/** A number that changes by itself. */
interface ChangingValue {
  /** The `oid` of the table. */
  table: string;
  column: number;
  index: readonly number[];
  value: number;
}

export interface AgentTables {
  system: { description: string; objectId: string; name: string; location: string };
  tables: readonly AgentTable[];
  /** Values that change by themselves, as they are now. */
  changing(): readonly ChangingValue[];
}
