/** The ledger: each line says one thing that was done to a machine, and is on disk before the BMC or the agent answers. */

export interface LedgerLine {
  /** ISO 8601, of the host's clock: it can be laid beside the events of the daemon. */
  at: string;
  machine: string;
  kind: 'power' | 'erase' | 'update' | 'install' | 'boot' | 'account' | 'volume' | 'burn-in' | 'file';
  /** Such as `reset ForceRestart`, or `sda scrub nnsa`. */
  what: string;
  /** `done`, `begun`, or why not: `ignored`, `refused`, `failed`. */
  outcome: string;
  /** The account of the BMC, `BMC` for the end of an update, `agent`, `installer`, or `twin` for a fault or the first start. */
  by: string;
}

export type LedgerNote = Omit<LedgerLine, 'at' | 'machine'>;
