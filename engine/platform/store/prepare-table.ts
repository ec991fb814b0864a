/**
 * A collection's table: `id`, `version`, one column for each indexed or scanned field, and the document as JSON text. A list of texts has a
 * table of its own with a row for each value, which triggers maintain.
 *
 * 1. When `prepareTable` resolves, the table matches its declaration, including tables of earlier versions of the
 *    program: missing columns are added and filled, others are dropped.
 * 2. The index of a column, or the table of its values, is made after the column is filled: a column without it is
 *    filled again, also after a crash.
 */
import { codeOf, messageOf } from '../../vocabulary/thrown-values.ts';
import { type Column, columnValue, quote, type Table, toParam } from './columns.ts';
import type { Database } from './database.ts';
import type { Document } from './port.ts';

/** Documents read together to fill a new column. */
const FILL_BATCH = 500;

const FIXED = ['id', 'version', 'doc'];

/** Creates or migrates the table. Nothing else may use it in the meantime. */
export async function prepareTable(table: Table, db: Database): Promise<void> {
  // The document comes last: what is before it is read without its pages.
  const columns = [
    'id TEXT NOT NULL PRIMARY KEY',
    'version INTEGER',
    ...table.columns.map(columnDeclaration),
    'doc TEXT NOT NULL',
  ];
  await db.script([`CREATE TABLE IF NOT EXISTS ${table.name} (${columns.join(', ')})`]);
  const wanted = new Map(table.columns.flatMap((column) => partsOf(table, column)));
  const there = await existingParts(table, db);
  for (const [name, type] of there) if (!wanted.has(name)) await db.script(dropping(name, type));
  await prepareColumns(table, db, new Set(there.keys()));
  for (const [name, create] of wanted) if (!there.has(name)) await db.script(create);
}

const columnDeclaration = ({ name, type }: Column): string => `${name} ${type}`;

async function prepareColumns(table: Table, db: Database, indexed: ReadonlySet<string>): Promise<void> {
  const rows = await db.select('SELECT name FROM pragma_table_info(?)', [table.collection]);
  const names = rows.map(([name]) => String(name)).filter((name) => !FIXED.includes(name));
  const there = new Set(names.map(quote));
  const known = new Set(table.columns.map(({ name }) => name));
  for (const name of there) if (!known.has(name)) await db.script([`ALTER TABLE ${table.name} DROP COLUMN ${name}`]);
  for (const column of table.columns) {
    if (!there.has(column.name)) await db.script([`ALTER TABLE ${table.name} ADD COLUMN ${columnDeclaration(column)}`]);
  }
  const unfilled = table.columns.filter((column) => partsOf(table, column).some(([name]) => !indexed.has(name)));
  if (unfilled.length > 0) await fill(table, unfilled, db);
}

async function fill(table: Table, columns: readonly Column[], db: Database): Promise<void> {
  const set = columns.map(({ name }) => `${name} = ?`).join(', ');
  let last = '';
  for (;;) {
    const rows = await db.select(`SELECT id, doc FROM ${table.name} WHERE id > ? ORDER BY id LIMIT ${FILL_BATCH}`, [
      last,
    ]);
    const lists = rows.map(([id = null, doc]) => {
      const document = JSON.parse(String(doc)) as Document;
      return [...columns.map((column) => toParam(columnValue(table, column, document))), id];
    });
    await db.write([{ text: `UPDATE ${table.name} SET ${set} WHERE id = ?`, lists }]);
    if (rows.length < FILL_BATCH) return;
    last = String(rows.at(-1)?.[0]);
  }
}

/** Names of the table's indexes and tables of values, with their types. */
async function existingParts(table: Table, db: Database): Promise<Map<string, string>> {
  const rows = await db.select(
    `SELECT name, type FROM sqlite_schema
      WHERE type = 'index' AND tbl_name = ?1 AND sql IS NOT NULL OR type = 'table' AND name LIKE ?1 || ':%'`,
    [table.collection],
  );
  return new Map(rows.map(([name, type]) => [String(name), String(type)]));
}

function dropping(name: string, type: string): string[] {
  if (type === 'index') return [`DROP INDEX ${quote(name)}`];
  return [...triggers.map((trigger) => `DROP TRIGGER ${quote(`${name}:${trigger}`)}`), `DROP TABLE ${quote(name)}`];
}

/** A unique index is created in addition to the plain one, which alone also sorts by id. */
function partsOf(table: Table, column: Column): [name: string, create: string[]][] {
  const { path, kind, name, unique, isScanned } = column;
  const newest = table.newest.get(path);
  if (newest !== undefined) return [[newest, [indexOn(table, newest, [name, `${createdAt(table)} DESC`, 'id'])]]];
  if (table.scan !== undefined && (isScanned || path === 'createdAt'))
    return [[table.scan, [scanIndex(table, table.scan)]]];
  const plain = `${table.collection}:${kind}:${path}`;
  if (kind === 'texts') return [[plain, valuesOf(table, column, plain)]];
  const parts: [string, string[]][] = [[plain, [indexOn(table, plain, [name, 'id'])]]];
  if (unique) {
    const only = `${table.collection}:unique:${path}`;
    parts.push([only, [`CREATE UNIQUE INDEX ${quote(only)} ON ${table.name} (${name})`]]);
  }
  return parts;
}

const indexOn = (table: Table, index: string, entry: readonly string[]): string =>
  `CREATE INDEX ${quote(index)} ON ${table.name} (${entry.join(', ')})`;

const createdAt = ({ column }: Table): string => column('createdAt')?.name ?? '';

function scanIndex(table: Table, index: string): string {
  const scanned = table.columns.filter((column) => column.isScanned).map(({ name }) => name);
  return indexOn(table, index, [createdAt(table), 'id', ...scanned]);
}

const triggers = ['insert', 'update', 'delete'] as const;

/** A look-up of a value reads its rows, where the lists themselves would all have to be read. */
function valuesOf(table: Table, { name: column, index }: Column, name: string): string[] {
  const insert = (row: string, from: string) =>
    `INSERT INTO ${index} SELECT DISTINCT one.value, ${row}.id FROM ${from} json_each(${row}.${column}) AS one`;
  const remove = `DELETE FROM ${index} WHERE id = old.id`;
  const trigger = (on: (typeof triggers)[number], event: string, work: string) =>
    `CREATE TRIGGER ${quote(`${name}:${on}`)} AFTER ${event} ON ${table.name} BEGIN ${work}; END`;
  return [
    `CREATE TABLE ${index} (value TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (value, id)) WITHOUT ROWID`,
    `CREATE INDEX ${quote(`${name}:id`)} ON ${index} (id)`,
    insert(table.name, `${table.name},`),
    trigger('insert', 'INSERT', insert('new', '')),
    trigger('update', `UPDATE OF ${column}`, `${remove}; ${insert('new', '')}`),
    trigger('delete', 'DELETE', remove),
  ];
}

/** @returns the field whose uniqueness was violated; undefined for any other error */
export function duplicateField(table: Table, error: unknown): string | undefined {
  if (!codeOf(error).startsWith('SQLITE_CONSTRAINT')) return undefined;
  // UNIQUE constraint failed: <table>.<column>
  const field = table.columns.find(({ kind, path }) => messageOf(error).endsWith(`.${kind}:${path}`));
  return field?.path ?? 'id';
}
