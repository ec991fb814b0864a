/** Writes records as a table, as JSON or as lines of JSON. */
import Table from 'cli-table3';
import { colors, inform, jsonText, printableText, say } from './terminal.ts';

export const outputFormats = ['table', 'wide', 'json', 'jsonl'] as const;
export type OutputFormat = (typeof outputFormats)[number];

export const isTable = (format: OutputFormat): boolean => format === 'table' || format === 'wide';

/** A column of the table. */
export interface TableColumn<T> {
  title: string;
  /** Undefined and null are shown as `-`. */
  value(record: T): string | number | boolean | null | undefined;
  /** Only in the format `wide`. */
  wide?: true;
  /** Colors a cell. */
  paint?(text: string, record: T): string;
}

const BORDERS = ['top', 'bottom', 'left', 'right', 'mid', 'top-mid', 'top-left', 'top-right', 'bottom-mid'];
const MORE = ['bottom-left', 'bottom-right', 'left-mid', 'mid-mid', 'right-mid'];
const noBorders = { ...Object.fromEntries([...BORDERS, ...MORE].map((name) => [name, ''])), middle: '  ' };
const style = { 'padding-left': 0, 'padding-right': 0, head: [], border: [] };

/** @param limit characters */
export const shortText = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit - 3)}...` : text;

/** Returns those that are not 0, such as `2 running, 1 failed`. */
export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([status, n]) => `${n} ${status}`)
    .join(', ');

/** @param total on all pages, if these are not all */
export function showList<T>(
  records: readonly T[],
  columns: readonly TableColumn<T>[],
  format: OutputFormat,
  total?: number,
): void {
  if (format === 'json') say(jsonText(records, 2));
  else if (format === 'jsonl') for (const record of records) say(jsonText(record));
  else if (records.length > 0) say(tableText(records, columns, format === 'wide'));
  if (total !== undefined && total > records.length) inform(`${records.length} of ${total}; --limit shows more`);
  else if (isTable(format) && records.length === 0) inform('none');
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Characters of an id in a table, as in the console; commands take it as the beginning of one. */
const SHORT_ID = 8;

/** @param wide whole ids, and also the columns of the format `wide` */
export function tableText<T>(records: readonly T[], columns: readonly TableColumn<T>[], wide: boolean): string {
  const shownColumns = columns.filter((column) => wide || column.wide !== true);
  const head = shownColumns.map(({ title }) => colors.dim(title.toUpperCase()));
  const table = new Table({ head, chars: noBorders, style });
  const cellText = (text: string) => printableText(wide || !UUID.test(text) ? text : text.slice(0, SHORT_ID));
  for (const record of records) {
    table.push(
      shownColumns.map(({ value, paint = (text) => text }) => paint(cellText(String(value(record) ?? '-')), record)),
    );
  }
  return linesOf(table.toString());
}

const linesOf = (table: string): string => table.replace(/ +$/gm, '');

/** Writes what is not a table: as JSON, or by `table`. */
export function showAs(format: OutputFormat, value: unknown, table: () => void): void {
  if (format === 'json') say(jsonText(value, 2));
  else if (format === 'jsonl') say(jsonText(value));
  else table();
}

/** Shows one record: its fields in two columns, or as JSON. */
export function showRecord(
  record: object,
  fields: readonly (readonly [name: string, value: unknown])[],
  format: OutputFormat,
) {
  if (format === 'json') return say(jsonText(record, 2));
  if (format === 'jsonl') return say(jsonText(record));
  const table = new Table({ chars: noBorders, style });
  for (const [name, value] of fields) table.push([colors.dim(name), printableText(textOf(value))]);
  return say(linesOf(table.toString()));
}

function textOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ') || '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
