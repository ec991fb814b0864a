/** The objects of an SNMP agent of a twin, of which `nw twin` makes an agent. */

export type SnmpCell = string | number | Buffer;

export interface AgentTable {
  /** Of its entry. */
  oid: string;
  /** How many of the columns are the index. */
  indexes: number;
  /** Their numbers, the index first. */
  columns: readonly number[];
  rows: readonly (readonly SnmpCell[])[];
  /** A column that a manager may write. */
  writable?: {
    column: number;
    accepts(value: number): boolean;
    /** @param row the first number of its index */
    write(row: number, value: number): Promise<void>;
  };
}

/** A number that changes by itself. */
export interface ChangingCell {
  /** The `oid` of the table. */
  table: string;
  column: number;
  index: readonly number[];
  value: number;
}

export interface AgentTables {
  system: { description: string; objectId: string; name: string; location: string };
  tables: readonly AgentTable[];
  /** The cells that change by themselves, with the values that they have now. */
  changing(): readonly ChangingCell[];
}
