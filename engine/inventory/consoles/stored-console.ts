/** The documents of a machine's console: its switch with the state of its capture, and its log in batches of lines. */
import type { ConsoleLine } from '../../api-port/machine-consoles.ts';
import type { CollectionSpec, Document } from '../../platform/store/port.ts';
import type { ConsoleSource, ConsoleState } from '../../vocabulary/states.ts';

interface StoredInput {
  at: string;
  /** Encrypted: it may be a password. */
  text: string;
}

/** Its id is that of the node. It stays when the console is switched off, so that the numbers of the lines continue. */
export interface StoredConsole extends Document {
  on: boolean;
  source: ConsoleSource;
  state: ConsoleState;
  since: string;
  error: string | null;
  /** Number of the newest line. */
  seq: number;
  /** The process that captures, and a token (`captures.ts`); null: none. */
  by: string | null;
  /** Until when the console was read, and its lines are stored; null: never. */
  heardAt: string | null;
  /** A session of ours may have the port. */
  hasSession: boolean;
  /** To be typed, oldest first. */
  inputs: StoredInput[];
  /** Grows with each change of `inputs`. */
  inputCount: number;
}

export const consoleSpec: CollectionSpec = { name: 'consoles', indexes: { on: 'boolean', by: 'text' } };

export type StoredLine = Omit<ConsoleLine, 'seq'>;

/** Lines that were written together. */
export interface StoredLines extends Document {
  node: string;
  /** Number of its first line. */
  first: number;
  /** Number of its last line. */
  last: number;
  lines: StoredLine[];
  /** The capture that wrote it. */
  by: string;
  createdAt: string;
}

export const consoleLinesSpec: CollectionSpec = {
  name: 'consolelines',
  indexes: { node: 'text', last: 'number', createdAt: 'text' },
};
