/**
 * The files of a twin: the states of its machines, and the ledger of what was done to them.
 *
 * 1. A change is one line of `state.jsonl`, with its line of the ledger, if it has one; then the ledger's line is written and
 *    synced. A twin that is killed in between finds the line in the state, and adds it at its next start: a command is in
 *    the ledger exactly if the machine has it.
 * 2. An incomplete last line, of a process that was killed, is removed: its sender got no answer.
 * 3. The file of states is written anew at each start, and when it has grown to four times that size.
 */
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TimeBasis } from '../../../engine/hardware/twin/machine/field-time.ts';
import type { LedgerLine } from '../../../engine/hardware/twin/machine/ledger.ts';
import type { MachineState } from '../../../engine/hardware/twin/machine/machine-state.ts';
import { batch } from '../../../engine/platform/lib/batch.ts';
import { syncFolder } from '../../../engine/platform/lib/sync-folder.ts';
import { codeOf } from '../../../engine/vocabulary/thrown-values.ts';
import { MIB } from '../../../engine/vocabulary/units.ts';

/** The parameters of a twin; a second start continues it. */
export interface TwinRecord {
  seed: number;
  nodes: number;
  models: readonly string[];
  ipmi: number;
  basis: TimeBasis;
  /** Names of the faults of a next action that have happened. */
  used: string[];
  /** Events of faults before this time have happened; milliseconds since the first start. */
  passed: number;
  /** Origins of the southbound endpoint at the last starts; absent in folders of earlier versions. */
  origins?: readonly string[];
}

/** A line of the file of states. `line` is the ledger's for this change, the `told`th of its machine. */
interface StateLine {
  twin?: TwinRecord;
  state?: MachineState;
  line?: LedgerLine;
}

interface Change {
  name: string;
  text: string;
  line: LedgerLine | undefined;
}

const STATES = 'state.jsonl';
const LEDGER = 'ledger.jsonl';
const LEAST_LIMIT = 64 * MIB;
const GROWTH = 4;

export class TwinFolder {
  /** By machine: the objects in which the machines keep their states. */
  readonly states = new Map<string, MachineState>();
  twin: TwinRecord | undefined;
  readonly #folder: string;
  readonly #ledger: FileHandle;
  #file: FileHandle | undefined;
  #size = 0;
  #limit = LEAST_LIMIT;

  private constructor(folder: string, ledger: FileHandle) {
    this.#folder = folder;
    this.#ledger = ledger;
  }

  /** Reads what an earlier process left. @param folder exists, and is locked */
  static async open(folder: string): Promise<TwinFolder> {
    const ledger = await open(join(folder, LEDGER), 'a+', 0o600);
    const opened = new TwinFolder(folder, ledger);
    await opened.#read();
    return opened;
  }

  /** Call it once, before `save`. */
  async begin(twin: TwinRecord): Promise<void> {
    this.twin = twin;
    await this.#rewrite();
  }

  /** Resolves when the state of this moment, and its line of the ledger, are on disk. */
  save(state: MachineState, line?: LedgerLine): Promise<void> {
    if (line !== undefined) state.told += 1;
    this.states.set(state.name, state);
    return this.#save({ name: state.name, text: textOf([{ state, ...(line && { line }) }]), line });
  }

  readonly #save = batch(async (changes: Change[]) => {
    await this.#append(latestTexts(changes).join(''));
    const ledgerLines = changes.flatMap(({ line }) => (line === undefined ? [] : [line]));
    if (ledgerLines.length > 0) await this.#tell(ledgerLines);
    if (this.#size > this.#limit) await this.#rewrite();
    return changes.map(() => undefined);
  });

  async note(change: Pick<TwinRecord, 'used'> | Pick<TwinRecord, 'passed'>): Promise<void> {
    if (this.twin === undefined) return;
    this.twin = { ...this.twin, ...change };
    await this.#append(textOf([{ twin: this.twin }]));
  }

  async close(): Promise<void> {
    await this.#file?.close();
    await this.#ledger.close();
  }

  async #append(text: string): Promise<void> {
    this.#size += Buffer.byteLength(text);
    await this.#file?.appendFile(text);
  }

  async #tell(lines: readonly LedgerLine[]): Promise<void> {
    await this.#ledger.appendFile(textOf(lines));
    await this.#ledger.datasync();
  }

  async #read(): Promise<void> {
    const counts = new Map<string, number>();
    const ledger = (await wholeLines(join(this.#folder, LEDGER))) as LedgerLine[];
    for (const { machine } of ledger) counts.set(machine, (counts.get(machine) ?? 0) + 1);
    const missing: LedgerLine[] = [];
    for (const line of (await wholeLines(join(this.#folder, STATES))) as StateLine[]) {
      if (line.twin !== undefined) this.twin = line.twin;
      if (line.state === undefined) continue;
      this.states.set(line.state.name, line.state);
      if (line.line !== undefined && line.state.told > (counts.get(line.state.name) ?? 0)) missing.push(line.line);
    }
    if (missing.length > 0) await this.#tell(missing);
  }

  async #rewrite(): Promise<void> {
    const name = join(this.#folder, STATES);
    await rm(`${name}.new`, { force: true });
    const file = await open(`${name}.new`, 'a', 0o600);
    const before = this.#file;
    this.#file = file;
    this.#size = 0;
    await this.#append(textOf([{ twin: this.twin }]));
    const all = [...this.states.values()];
    for (let at = 0; at < all.length; at += PART) {
      await this.#append(textOf(all.slice(at, at + PART).map((state) => ({ state }))));
    }
    await file.datasync();
    await rename(`${name}.new`, name);
    await syncFolder(this.#folder);
    await before?.close();
    this.#limit = Math.max(LEAST_LIMIT, GROWTH * this.#size);
  }
}

/** Machines of one write, so that the text stays small. */
const PART = 500;

const textOf = (lines: readonly unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Without the states that a later one of the same machine replaces; those with a line of the ledger stay. */
const latestTexts = (changes: readonly Change[]): string[] => {
  const last = new Map(changes.map((change) => [change.name, change]));
  return changes
    .filter((change) => change.line !== undefined || last.get(change.name) === change)
    .map(({ text }) => text);
};

/** Returns the lines as JSON, and removes an incomplete last one. */
async function wholeLines(file: string): Promise<unknown[]> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) {
    const handle = await open(file, 'r+');
    await handle.truncate(end);
    await handle.close();
  }
  const text = bytes.toString('utf8', 0, end);
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
}
