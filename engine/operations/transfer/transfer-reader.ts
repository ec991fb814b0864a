/** Reads the lines of a file that may be hostile: bounded, and valid UTF-8. */
import { createReadStream } from 'node:fs';
import { REDACTED } from '../../vocabulary/encrypted-values.ts';
import { type JsonObject, property } from '../../vocabulary/json.ts';
import { dottedPath, pointerPart } from '../../vocabulary/json-pointer.ts';
import {
  headerOf,
  LINE_LIMIT,
  LineError,
  lineOf,
  type TransferEnd,
  type TransferHeader,
  type TransferLine,
} from './transfer-format.ts';

/** `at`: its number, from 1. */
type NumberedLine = { at: number; text: string } | { at: number; unreadable: string };

const NEWLINE = 0x0a;
const NO_UTF8 = 'found bytes that are no UTF-8, expected JSON lines';
const TOO_LONG = `is longer than ${LINE_LIMIT} bytes, the maximum`;

/** Nothing follows a line that is too long. */
async function* linesIn(file: string): AsyncGenerator<NumberedLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const read = (at: number, bytes: Buffer): NumberedLine => {
    try {
      return { at, text: decoder.decode(bytes) };
    } catch {
      return { at, unreadable: NO_UTF8 };
    }
  };
  let at = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    let from = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, from)) {
      yield read(at, rest.subarray(from, end));
      from = end + 1;
      at += 1;
    }
    rest = rest.subarray(from);
    if (rest.length > LINE_LIMIT) return yield { at, unreadable: TOO_LONG };
  }
  if (rest.length > 0) yield read(at, rest);
}

export type ReadLine = { at: number } & (
  | { kind: 'record'; line: TransferLine }
  | { kind: 'header'; header: TransferHeader }
  | { kind: 'end'; end: TransferEnd }
  | { kind: 'error'; message: string }
);

/** Yields what each line is. Nothing follows a wrong header. */
export async function* readTransfer(file: string): AsyncGenerator<ReadLine> {
  let [records, isEnded, at] = [0, false, 0];
  for await (const line of linesIn(file)) {
    at = line.at;
    if ('unreadable' in line) return yield { at, kind: 'error', message: line.unreadable };
    if (isEnded) {
      if (line.text.trim() === '') continue;
      return yield { at, kind: 'error', message: 'found a line after the end, expected none' };
    }
    const read = resultOf((): ReadLine => {
      const value = parseLine(line.text);
      if (at === 1) return { at, kind: 'header', header: headerOf(value) };
      const parsedLine = lineOf(value, records);
      return parsedLine.type === 'end'
        ? { at, kind: 'end', end: parsedLine }
        : { at, kind: 'record', line: parsedLine };
    });
    if (read instanceof LineError) {
      yield { at, kind: 'error', message: read.message };
      if (at === 1) return;
    } else yield read;
    isEnded = !(read instanceof LineError) && read.kind === 'end';
    if (at > 1 && !isEnded) records += 1;
  }
  if (isEnded) return;
  const message = 'found no end, expected {"type":"end","records":...}; the file is incomplete';
  yield { at: at + 1, kind: 'error', message };
}

export function resultOf<T>(work: () => T): T | LineError {
  try {
    return work();
  } catch (error) {
    if (error instanceof LineError) return error;
    throw error;
  }
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw new LineError('is nested too deeply');
    throw new LineError('found no JSON, expected an object in one line');
  }
}

/** Returns a path with `REDACTED` instead of a secret, which nothing says is left out. */
export function redactedPath(record: JsonObject, withheld: readonly string[]): string | undefined {
  const visit = (value: unknown, path: string): string | undefined => {
    if (value === REDACTED) return withheld.includes(path) ? undefined : path;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const key of Object.keys(value)) {
      const secretPath = visit(property(value, key), `${path}/${pointerPart(key)}`);
      if (secretPath !== undefined) return secretPath;
    }
    return undefined;
  };
  const secretPath = visit(record, '');
  return secretPath === undefined ? undefined : dottedPath(secretPath);
}
