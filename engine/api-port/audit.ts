/** The port of the API to the audit log: changes by users, rejected requests and log-ins, in one chain of hashes. */
import { type Static, Type } from 'typebox';
import { orNull, time } from './schemas.ts';

export const auditEntry = Type.Object(
  {
    /** 1, 2, 3 ... over all daemons, without gaps. */
    seq: Type.Integer(),
    at: time,
    /** Null: none, or unknown. */
    user: orNull(Type.String()),
    /** Identifies the token or the session, without disclosing it. */
    tokenId: orNull(Type.String()),
    address: Type.String(),
    method: Type.String(),
    /** With its query, without secrets. */
    path: Type.String(),
    /** The record that the request was about, such as `nodes/<id>`. */
    target: orNull(Type.String()),
    status: Type.Integer(),
    requestId: Type.String(),
    /** The command of an action, such as `retry`. */
    command: Type.Optional(Type.String()),
    /** The labels whose unknown effects the user accepted in a retry. */
    acknowledged: Type.Optional(Type.Array(Type.String())),
    /** The ids of the holds that the user overrode, and why. */
    overriddenHolds: Type.Optional(Type.Array(Type.String())),
    overrideReason: Type.Optional(Type.String()),
    /** The number of characters that the user typed at the console of a machine. */
    inputLength: Type.Optional(Type.Integer()),
    /** The id of the ticket that the launch used, and the users who asked for it and approved it. */
    ticket: Type.Optional(Type.String()),
    ticketRequestedBy: Type.Optional(orNull(Type.String())),
    ticketApprovedBy: Type.Optional(Type.Array(orNull(Type.String()))),
    /** The hash of the entry before. */
    previous: Type.String(),
    hash: Type.String(),
  },
  { title: 'AuditEntry' },
);

export type AuditEntry = Static<typeof auditEntry>;

/** The part of an entry that the API knows. No field contains a secret. */
export type AuditRecord = Omit<AuditEntry, 'seq' | 'at' | 'previous' | 'hash'>;

export interface AuditCheck {
  ok: boolean;
  /** Number of entries that were found to be correct. */
  checked: number;
  /** The first `seq` whose entry is missing or was changed; null: none. */
  brokenAt: number | null;
}

/** An entry, as it is noted elsewhere to be compared later. */
export interface ChainEnd {
  seq: number;
  hash: string;
}

/** The result of a verification, and the entries by which it can be compared with a later one. */
export interface ChainReport extends AuditCheck {
  /** The first and the last correct entry; undefined: there is none. */
  first: ChainEnd | undefined;
  last: ChainEnd | undefined;
  /** Whether an entry that was noted elsewhere has its hash; undefined: none was given. */
  known: 'same' | 'other' | 'absent' | undefined;
}

/** Room for one entry. */
export interface AuditPlace {
  /**
   * Resolves when the entry is stored, or cannot be stored soon; it is then stored later, unless the process dies before.
   * @param limitMs the longest time to wait
   */
  append(record: AuditRecord, limitMs: number): Promise<void>;
  /** Gives the room back. Harmless after `append`. */
  free(): void;
}

export interface Audit {
  /** Call it before a change is made. @throws NodewrightError UNAVAILABLE while too many entries are not stored yet */
  reserve(): AuditPlace;
  /** Returns the entries after `after`, oldest first; at most `limit` of them. */
  list(after: number, limit: number): Promise<AuditEntry[]>;
  /** Verifies all stored entries; concurrent calls share the result. It takes seconds for each million of them. */
  verify(): Promise<AuditCheck>;
}
