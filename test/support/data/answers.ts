/**
 * Answers as text, for comparison with recorded ones. A value that differs from run to run has a placeholder. A long
 * answer is recorded as the names of its fields: its values are the subject of other tests.
 */

import { groupBy } from '../../../engine/platform/lib/group-by.ts';
import { isObject } from '../../../engine/vocabulary/json.ts';
import type { Answer } from '../servers/api.ts';

type Json = Record<string, unknown>;

const LONG = 500;

/** In this order. */
const placeholders: [pattern: RegExp, name: string][] = [
  [/x{100,}/g, '<long>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?/g, '<time>'],
  [/nwt_[\w-]+|[\w-]{10,}\.[\w-]{10,}\.[\w-]{20,}/g, '<token>'],
  [/(?<="(tokenId|x|kid)":")[^"]+/g, '<key>'],
  [/(?<="size":|"[ab]Ms":|[Rr]etry in )\d+/g, '<number>'],
  // It follows when the first request to a BMC that does not answer is over.
  [/(?<="health":")(critical|unknown)(?=")/g, '<health>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>'],
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/\b[0-9a-f]{24,32}\b/g, '<id>'],
  [/(127\.0\.0\.1|localhost):\d{4,5}/g, '$1:<port>'],
];

/** @returns the status, the content type unless it is JSON, and the body unless it varies with the time of the request */
export function answerText({ status, headers, body }: Answer, varies: boolean): string {
  const type = headers.get('content-type');
  const isJson = type === null || type === 'application/json; charset=utf-8';
  return `${status} ${isJson ? '' : `${type} `}${varies && status < 300 ? '' : bodyText(status, body)}`.trimEnd();
}

function bodyText(status: number, body: unknown): string {
  if (typeof body === 'string' && body.length > LONG) return '<text>';
  const text = rejection(status, body) ?? JSON.stringify(body);
  const shown = placeholders.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), text);
  return shown.length > LONG ? fieldNames([body]) : shown;
}

/** An error whose fields agree with each other is one line. */
function rejection(status: number, body: unknown): string | undefined {
  const { message, code, status: same, requestId, errors = [], ...rest } = (body ?? {}) as Json;
  if (same !== status || typeof requestId !== 'string' || Object.keys(rest).length > 0) return undefined;
  const further = (errors as { path: string; message: string }[])
    .map(({ path, message: text }) => `${path} ${text}`)
    .filter((text) => !String(message).endsWith(text));
  return [`${code} ${message}`, ...further].join(' + ');
}

const DEPTH = 3;

/** Returns the names of fields, of all values in the same place together. */
function fieldNames(values: readonly unknown[], depth = 0): string {
  if (depth >= DEPTH) return '';
  const lists = values.filter(Array.isArray);
  const objects = values.filter((value): value is Json => isObject(value) && !Array.isArray(value));
  const inList = lists.length > 0 ? `[${fieldNames(lists.flat(), depth + 1)}]` : '';
  if (objects.length === 0) return inList;
  const keys = [...new Set(objects.flatMap((one) => Object.keys(one)))].sort();
  const fields = keys.map(
    (key) =>
      `${key}${fieldNames(
        objects.map((one) => one[key]),
        depth + 1,
      )}`,
  );
  return `${inList}{${fields.join(' ')}}`;
}

/** The answers to an operation, by what is asked. */
export type Answers = Map<string, string>;

/** As many operations have the same answer to a request, it is usual. */
const USUAL = 8;

/** @param all by operation */
export function answersText(all: ReadonlyMap<string, Answers>): string {
  const usual = usualAnswers([...all.values()]);
  const heading = [...usual].map(([name, answer]) => `  ${name}: ${answer}`);
  const operations = [...all].map(([title, answers]) => {
    const isUsual = ([name, answer]: [string, string]) => usual.get(name) === answer;
    const named = [...answers].filter(isUsual).map(([name]) => name);
    const other = groupBy(
      [...answers].filter((one) => !isUsual(one)),
      ([, answer]) => answer,
    );
    const lines = other.map(([answer, names]) => `  ${names.map(([name]) => name).join(' | ')}: ${answer}`);
    return [title, ...lines, ...(named.length > 0 ? [`  as usual: ${named.join(' | ')}`] : [])];
  });
  return [['usual', ...heading], ...operations].map((lines) => `${lines.join('\n')}\n`).join('\n');
}

/** The first one is that to a good request. */
function usualAnswers(all: readonly Answers[]): Answers {
  const byName = groupBy(
    all.flatMap((answers) => [...answers].slice(1)),
    ([name]) => name,
  );
  const commonest = byName.flatMap(([name, entries]) => {
    const counted = groupBy(entries, ([, answer]) => answer).map(([answer, { length }]) => ({ answer, length }));
    const most = counted.reduce((best, one) => (one.length > best.length ? one : best));
    return most.length >= USUAL ? [[name, most.answer] as const] : [];
  });
  return new Map(commonest);
}
