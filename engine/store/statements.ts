/**
 * Prepared statements on one PGlite: a text is parsed and described once, and then each run is one message instead of
 * five. That halves the cost of a statement. Whoever calls holds the turn (`pglite.ts`): nothing here waits for one.
 */
import { type messages, type PGlite, parse, protocol } from '@electric-sql/pglite';

const { parseDescribeStatementResults, parseResults } = parse;
const { serialize } = protocol;

/**
 * Whether the statement's plan is made once and kept, or made for these parameters. Kept is cheaper by some 50 us;
 * fresh is for conditions where a value decides which index is good.
 */
export type Plan = 'kept' | 'fresh';

/** What `pg` gives for a statement. */
export interface Result<Row> {
  rows: Row[];
  rowCount: number;
}

interface Prepared {
  name: string;
  /** PostgreSQL's type of each parameter. */
  types: number[];
  /** How the rows look; PostgreSQL tells it only when a statement is prepared. */
  head: messages.BackendMessage[];
}

/** Texts come from code, except for the fields that a filter names; so they are few, but not certainly. */
const MAX_PREPARED = 400;

/** Runs one statement, in its turn. */
export type Query = <Row>(text: string, params?: readonly unknown[], plan?: Plan) => Promise<Result<Row>>;

export class Statements {
  readonly #db: PGlite;
  readonly #prepared = new Map<string, Prepared>();
  #made = 0;

  constructor(db: PGlite) {
    this.#db = db;
  }

  /**
   * Runs statements without parameters. PGlite's own `exec` sends a message more after an error, and would compute for
   * ever after one that has ended the database.
   * @returns what the last one gave
   */
  async script<Row>(text: string): Promise<Result<Row>> {
    const last = parseResults(await this.#send(serialize.query(text)), this.#db.parsers).at(-1);
    return { rows: (last?.rows ?? []) as Row[], rowCount: last?.affectedRows || (last?.rows.length ?? 0) };
  }

  async run<Row>(text: string, params: readonly unknown[], plan: Plan): Promise<Result<Row>> {
    const prepared = this.#prepared.get(text) ?? (await this.#prepare(text));
    const { name, types } = prepared;
    const values = params.map((value, index) => this.#encode(value, types[index] ?? 0));
    const received = await this.#send(
      // A statement without a name is planned anew, with the values of its parameters.
      ...(plan === 'fresh' ? [serialize.parse({ text, types })] : []),
      serialize.bind({ statement: plan === 'fresh' ? '' : name, values }),
      serialize.execute({}),
      serialize.sync(),
    );
    const [result] = parseResults([...prepared.head, ...received], this.#db.parsers);
    const rows = (result?.rows ?? []) as Row[];
    return { rows, rowCount: result?.affectedRows || rows.length };
  }

  async #prepare(text: string): Promise<Prepared> {
    const name = `s${this.#made++}`;
    const received = await this.#send(
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
      serialize.sync(),
    );
    const head = received.filter((message) => message.name === 'rowDescription');
    const prepared = { name, types: parseDescribeStatementResults(received), head };
    await this.#makeRoom();
    this.#prepared.set(text, prepared);
    return prepared;
  }

  async #makeRoom(): Promise<void> {
    if (this.#prepared.size < MAX_PREPARED) return;
    const [oldest] = this.#prepared;
    if (oldest === undefined) return;
    const [text, { name }] = oldest;
    this.#prepared.delete(text);
    await this.#send(serialize.close({ type: 'S', name }), serialize.sync());
  }

  #encode(value: unknown, type: number): string | null {
    if (value === null || value === undefined) return null;
    const serializer = this.#db.serializers[type];
    return serializer ? serializer(value) : String(value);
  }

  async #send(...parts: Uint8Array[]): Promise<messages.BackendMessage[]> {
    // syncToFs is for file systems that live in memory until told; SyncedFolder syncs by itself.
    return (await this.#db.execProtocol(Buffer.concat(parts), { syncToFs: false })).messages;
  }
}
