/**
 * Parses the output of a command into a catalog's data. Pure.
 *
 * 1. The result can be stored: it has no NUL, no lone surrogates and a limited depth.
 * 2. Output with too many values, lines or levels is rejected before it is parsed, which could take minutes.
 * 3. Output that does not match its format is rejected; nothing is guessed.
 */
import type { CatalogFormat } from '../../define/command.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isObject, NESTING_LIMIT, objectIn } from '../../vocabulary/json.ts';
import { JsonCount, OBJECT_KEYS } from '../../vocabulary/json-count.ts';
import { storableText } from '../../vocabulary/texts.ts';
import { romFacts, versionSections } from './flash-formats.ts';
import { indentedObject } from './indented-text.ts';
import { add, define } from './untrusted-keys.ts';

/** An object or a list. */
export type CatalogJson = Record<string, unknown>;

/** More than any tool prints. */
const MAX_VALUES = 200_000;
const MAX_LINES = 50_000;

/** @throws NodewrightError INVALID when the output does not match the format */
export function catalogOf(format: CatalogFormat, printed: string): CatalogJson {
  const text = storableText(printed);
  if (format !== 'json' && format !== 'raw' && text.split('\n', MAX_LINES + 1).length > MAX_LINES)
    throw rejectedError('too long', `${MAX_LINES} lines at most`);
  const data = parsers[format](text);
  return checkedValue(data, 0) as CatalogJson;
}

const parsers: Record<CatalogFormat, (text: string) => unknown> = {
  raw: (raw) => ({ raw }),
  json,
  dmi,
  pairs: (text) => nonEmptyData(indentedObject(text.split('\n'), ' : ', ':'), 'lines "Key : Value"'),
  paths,
  ami: (text) => nonEmptyData(romFacts(text), 'lines "System ROM ID = ..."'),
  flashupdt: (text) => nonEmptyData(versionSections(text), 'the versions of flashupdt'),
};

function json(text: string): unknown {
  const count = new JsonCount();
  count.add(Buffer.from(text));
  if (count.values > MAX_VALUES || count.widest > OBJECT_KEYS)
    throw rejectedError('too large', `${MAX_VALUES} values at most, and ${OBJECT_KEYS} keys of one object`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw rejectedError('not JSON', 'an object or a list');
  }
  if (typeof data !== 'object' || data === null) throw rejectedError('a single value', 'an object or a list');
  return Array.isArray(data) && data.length === 1 && typeof data[0] === 'object' && data[0] !== null ? data[0] : data;
}

const HANDLE = /^Handle 0x/;

/** Blocks with the same title become a list. */
function dmi(text: string): unknown {
  const sections: CatalogJson = {};
  for (const block of text.split(/\n\s*\n/)) {
    const lines = block.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
    const at = lines.findIndex((line) => HANDLE.test(line));
    const title = lines[at + 1]?.trim();
    if (at < 0 || title === undefined) continue;
    add(sections, title, indentedObject(lines.slice(at + 2), ': ', ':'));
  }
  return nonEmptyData(sections, 'blocks of dmidecode');
}

const INDEX = /^(?:0|[1-9]\d{0,4})$/;

function paths(text: string): unknown {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length === 1 && lines[0] === '=') return [];
  const root: CatalogJson = {};
  for (const line of lines) {
    const at = line.indexOf('=');
    if (at < 1) throw rejectedError(`invalid in the line ${JSON.stringify(line.slice(0, 100))}`, 'path=value');
    const value = line.slice(at + 1);
    if (line[at - 1] === ':') put(root, line.slice(0, at - 1), scalarOf(value));
    else put(root, line.slice(0, at), value);
  }
  return asList(nonEmptyData(root, 'lines path=value'));
}

function scalarOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw rejectedError(`invalid in the value ${JSON.stringify(text.slice(0, 100))} after ":="`, 'JSON');
  }
}

function put(root: CatalogJson, path: string, value: unknown): void {
  const keys = path.split('.', NESTING_LIMIT + 1);
  if (keys.length > NESTING_LIMIT) throw tooDeep();
  const last = keys.pop() as string;
  let target = root;
  for (const key of keys) {
    const next = objectIn(Object.hasOwn(target, key) ? target[key] : undefined);
    define(target, key, next);
    target = next;
  }
  define(target, last, value);
}

/** Converts objects whose keys count from 0 to lists. */
function asList(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const counts = entries.length > 0 && entries.every(([key], at) => INDEX.test(key) && Number(key) === at);
  if (counts) return entries.map(([, inner]) => asList(inner));
  const object: CatalogJson = {};
  for (const [key, inner] of entries) define(object, key, asList(inner));
  return object;
}

function nonEmptyData<T extends object>(data: T, expected: string): T {
  if (Object.keys(data).length === 0) throw rejectedError('empty', expected);
  return data;
}

function checkedValue(value: unknown, depth: number): unknown {
  if (depth > NESTING_LIMIT) throw tooDeep();
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map((inner) => checkedValue(inner, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const object: CatalogJson = {};
  for (const [key, inner] of Object.entries(value)) {
    define(object, storableText(key), checkedValue(inner, depth + 1));
  }
  return object;
}

const tooDeep = () => rejectedError('nested too deep', `${NESTING_LIMIT} levels at most`);

const rejectedError = (problem: string, expected: string) =>
  new NodewrightError('INVALID', `the catalog is ${problem}, expected ${expected}`);
