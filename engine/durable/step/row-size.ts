/**
 * How large a row is as JSON. A document of MongoDB has at most 16 MiB: a larger row would stay in Redis, and never be recorded.
 *
 * Steps copy what they change, and change few values: the sizes of large ones are remembered.
 */
import { CHARACTER_BYTES, jsonBytes, VALUE_BYTES } from '../../vocabulary/json-bytes.ts';
import { KIB, MIB } from '../../vocabulary/units.ts';
import type { WorkflowRow } from './row.ts';

/** Bytes: leaves room for what each step adds beside these values, and for the history in the same document. */
export const ROW_LIMIT = 12 * MIB;
/** Characters of a text that is measured. Of a shorter one, and of other values, the most bytes are assumed. */
const MEASURED_TEXT = 100;
/** Bytes of an object that is remembered. If as many of its bytes were assumed, it is measured. */
const MEASURED_OBJECT = 4 * KIB;

const sizes = new WeakMap<object, number>();

/** Whether the values that others choose have more bytes than a row may have. */
export function isTooLarge({
  options,
  output,
  tasks,
  actors,
  operations,
  toCompensate,
  carried,
}: WorkflowRow): boolean {
  let bytes = sizeOf(options) + sizeOf(output) + sizeOf(toCompensate) + sizeOf(carried);
  for (const task of tasks) bytes += sizeOf(task.output);
  for (const key in actors) {
    const actor = actors[key];
    bytes += sizeOf(actor?.snapshot.context) + sizeOf(actor?.options) + sizeOf(actor?.late);
  }
  for (const id in operations) bytes += sizeOf(operations[id]?.input);
  return bytes > ROW_LIMIT;
}

/** Returns the bytes of a value, or a few more. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return isLong(value) ? jsonBytes(value) : value.length * CHARACTER_BYTES + 3;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const isList = Array.isArray(value);
  let bytes = 3;
  let assumed = 0;
  for (const key in value) {
    const inner = Reflect.get(value, key);
    const size = sizeOf(inner) + (isList ? 0 : key.length * CHARACTER_BYTES + 3);
    bytes += size;
    if (!isMeasured(inner)) assumed += size;
  }
  if (assumed > MEASURED_OBJECT) bytes = jsonBytes(value);
  if (bytes > MEASURED_OBJECT) sizes.set(value, bytes);
  return bytes;
}

const isLong = (text: string): boolean => text.length > MEASURED_TEXT;

const isMeasured = (value: unknown): boolean =>
  typeof value === 'string' ? isLong(value) : typeof value === 'object' && value !== null && sizes.has(value);
