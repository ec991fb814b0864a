/** The lines of an export: a header, one line for each record, and an end, without which a file is incomplete. */

import { SCHEMA_VERSION } from '../../platform/store/schema-version.ts';
import { isObject, type JsonObject, listIn } from '../../vocabulary/json.ts';
import { type RecordType, recordTypes } from './record-kind.ts';

export const TRANSFER_FORMAT = 'nodewright-export';

export interface TransferHeader {
  format: typeof TRANSFER_FORMAT;
  schema: number;
  /** Version of the program. */
  nodewright: string;
  createdAt: string;
  /** Whether secrets are readable in it. */
  secrets: boolean;
}

export interface TransferEnd {
  type: 'end';
  records: number;
}

export interface TransferLine {
  type: RecordType;
  record: JsonObject;
  /** JSON pointers to the secrets that were left out; absent: none. */
  withheld?: string[];
}

/** Maximum bytes of a line; a catalog may have 2 MiB. */
export const LINE_LIMIT = 8 * 2 ** 20;
const POINTERS = 1_000;
const LINE_KEYS = ['type', 'record', 'withheld'];

/** A sentence says what is wrong with a line. */
export class LineError extends Error {
  override readonly name = 'LineError';
}

export function headerOf(line: unknown): TransferHeader {
  if (!isObject(line) || line.format !== TRANSFER_FORMAT) {
    throw new LineError(`found no header, expected {"format":"${TRANSFER_FORMAT}","schema":...}`);
  }
  const { schema } = line;
  if (typeof schema !== 'number' || !Number.isInteger(schema) || schema < 1) {
    throw new LineError('schema: found no version, expected a number');
  }
  if (schema > SCHEMA_VERSION) {
    throw new LineError(`schema: found version ${schema}, expected at most ${SCHEMA_VERSION}; use a newer nodewright`);
  }
  return line as unknown as TransferHeader;
}

/** @param before the number of records before it */
export function lineOf(line: unknown, before: number): TransferLine | TransferEnd {
  if (!isObject(line)) throw new LineError('found no object, expected {"type":...,"record":{...}}');
  const { type, record, withheld = [], records } = line;
  if (type === 'end') {
    if (records === before) return { type, records };
    throw new LineError(`records: found ${before} records before the end, expected the number that it has`);
  }
  const recordType = recordTypes.find((one) => one === type);
  if (recordType === undefined) throw new LineError(`type: expected one of ${recordTypes.join(', ')}`);
  if (!isObject(record)) throw new LineError('record: expected an object');
  const extra = Object.keys(line).find((key) => !LINE_KEYS.includes(key));
  if (extra !== undefined) throw new LineError(`${extra.slice(0, 100)}: is unknown; expected ${LINE_KEYS.join(', ')}`);
  const pointers = listIn(withheld);
  const isValid = pointers.every((pointer) => typeof pointer === 'string' && pointer.startsWith('/'));
  if (!Array.isArray(withheld) || pointers.length > POINTERS || !isValid) {
    throw new LineError(`withheld: expected a list of at most ${POINTERS} JSON pointers`);
  }
  return { type: recordType, record, ...(pointers.length > 0 && { withheld: pointers as string[] }) };
}
