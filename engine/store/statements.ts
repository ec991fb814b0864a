/**
 * Prepared statements on one PGlite: a text is parsed and described once; each run is then one message instead of five,
 * which halves its cost. The caller must hold the turn (`pglite.ts`); nothing here waits for it.
 */
import { type messages, type PGlite, parse, protocol } from '@electric-sql/pglite';

const { parseDescribeStatementResults, parseResults } = parse;
const { serialize } = protocol;

/**
 * Whether a statement's plan is made once and kept, or made for its parameters. A kept plan saves some 50 us; a fresh
 * one is for conditions where the best index depends on a value.
 */
export type PlanReuse = 'kept' | 'fresh';

/** Result of a statement, as in `pg`. */
export interface StatementResult<Row> {
  rows: Row[];
  rowCount: number;
}

interface Prepared {
  name: string;
  /** PostgreSQL type ids of the parameters. */
  types: number[];
  /** Description of the rows; PostgreSQL sends it only when a statement is prepared. */
  head: messages.BackendMessage[];
}

/** Texts come from code, but contain fields named by filters; this bounds their number. */
const MAX_PREPARED = 400;

/** Runs one statement in its turn. */
export type Query = <Row>(text: string, params?: readonly unknown[], plan?: PlanReuse) => Promise<StatementResult<Row>>;

export class Statements {
  readonly #db: PGlite;
  readonly #prepared = new Map<string, Prepared>();
  #made = 0;

  constructor(db: PGlite) {
    this.#db = db;
  }

  /**
   * Runs statements without parameters. PGlite's own `exec` sends another message after an error, and would run forever
   * after one that has shut down the database.
   * @returns the result of the last statement
   */
  async script<Row>(text: string): Promise<StatementResult<Row>> {
    const last = parseResults(await this.#send(serialize.query(text)), this.#db.parsers).at(-1);
    return { rows: (last?.rows ?? []) as Row[], rowCount: last?.affectedRows || (last?.rows.length ?? 0) };
  }

  async run<Row>(text: string, params: readonly unknown[], plan: PlanReuse): Promise<StatementResult<Row>> {
    const prepared = this.#prepared.get(text) ?? (await this.#prepare(text));
    const { name, types } = prepared;
    const values = params.map((value, index) => this.#encode(value, types[index] ?? 0));
    const received = await this.#send(
      // An unnamed statement is planned for the values of its parameters.
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
    // syncToFs is for file systems in memory; SyncedFolder syncs itself.
    return (await this.#db.execProtocol(Buffer.concat(parts), { syncToFs: false })).messages;
  }
}
