/**
 * Reads a JSON body with koa-body, which sees only what the guard lets through: bytes and values are counted as they arrive, and
 * a body over a limit ends before it is parsed. The request itself is never destroyed, so that a rejection can still be sent.
 *
 * 1. A short plain text is parsed here, because koa-body and its streams take as long as the rest of a request. The result is the
 *    same: it is an object without escapes, so that it has no key `__proto__` unless the text contains that.
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Context, Middleware } from 'koa';
import { pause } from '../../engine/api-port/values.ts';
import { bodyTooLong } from '../../engine/vocabulary/byte-limits.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { NESTING_LIMIT } from '../../engine/vocabulary/json.ts';
import { JsonCount, OBJECT_KEYS } from '../../engine/vocabulary/json-count.ts';
import { bodyParts } from '../http/body-parts.ts';
import type { HeldBody } from './bodies-in-hand.ts';

const JSON_TYPES = ['application/json', 'application/*+json'];

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export interface BodySize {
  /** After decompression. */
  bytes: number;
  values: number;
}

/** @param more further JSON types @returns parsed body; {} if there is none */
export async function readBody(
  ctx: Context,
  limit: BodySize,
  held: HeldBody,
  more: readonly string[] = [],
): Promise<unknown> {
  if (isEmpty(ctx)) return {};
  if (!ctx.is([...JSON_TYPES, ...more])) throw wrongType(ctx.get('content-type'));
  const declared = Number(ctx.get('content-length'));
  if (declared > limit.bytes) throw bodyTooLong(limit.bytes)();
  held.expect(declared);
  // A request that is already closed emits no more events, so reading it would never end.
  if (ctx.req.destroyed) throw brokenOff();
  const bytes = guardedBytes(bytesOf(ctx), limit, held);
  if (!(declared <= SHORT) || encodingOf(ctx) !== 'identity') return parsedBody(ctx, bytes, held);
  const parts = await collectParts(bytes);
  const text = Buffer.concat(parts).toString();
  return isPlain(text) ? parsedText(text) : parsedBody(ctx, parts, held);
}

/** Bytes; more than the options of most launches. */
const SHORT = 64 * 1_024;

const isPlain = (text: string): boolean => text.startsWith('{') && !text.includes('\\') && !text.includes('__proto__');

async function collectParts(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  try {
    const parts: Uint8Array[] = [];
    for await (const part of bytes) parts.push(part);
    return parts;
  } catch (error) {
    throw rejectionOf(error as Error);
  }
}

function parsedText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw rejectionOf(error as Error);
  }
}

async function parsedBody(
  ctx: Context,
  bytes: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  held: HeldBody,
): Promise<unknown> {
  parser ??= loadParser();
  const parse = await parser;
  const counted = Readable.from(bytes, { objectMode: false });
  // The bytes are decoded, and their number is not the declared one.
  const req = Object.assign(counted, { headers: {} });
  await parse(Object.create(ctx, { req: { value: req } }), async () => {});
  await turn(held);
  return ctx.request.body ?? {};
}

let parser: Promise<Middleware> | undefined;

/** With the first body that needs it, because it comes with parsers of forms, and takes longer than many modules. */
async function loadParser(): Promise<Middleware> {
  const { HttpMethodEnum, koaBody } = await import('koa-body');
  return koaBody({
    // The guard knows the types and the limits.
    jsonTypes: ['*/*'],
    jsonLimit: Number.MAX_SAFE_INTEGER,
    urlencoded: false,
    text: false,
    patchKoa: true,
    parsedMethods: Object.values(HttpMethodEnum),
    onError: (error) => {
      throw rejectionOf(error);
    },
  });
}

/** Weight from which each step of the handling of a body waits for its turn, so that all of them together leave room for others. */
const HEAVY = 256 * 1_024;

export const turn = ({ weight }: Pick<HeldBody, 'weight'>): Promise<void> | undefined =>
  weight < HEAVY ? undefined : pause();

/** Clients may send a content type without a body (curl -X POST -d ''). */
function isEmpty(ctx: Context): boolean {
  return ctx.get('transfer-encoding') === '' && ['', '0'].includes(ctx.get('content-length'));
}

const encodingOf = (ctx: Context): string => ctx.get('content-encoding').toLowerCase() || 'identity';

function bytesOf(ctx: Context): AsyncIterable<Uint8Array> {
  const bytes = bodyParts(ctx.req);
  const encoding = encodingOf(ctx);
  if (encoding === 'identity') return bytes;
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined;
  if (decoder === undefined) throw new NodewrightError('UNSUPPORTED_MEDIA_TYPE', 'Unknown content encoding');
  // The reader of the decoder gets its errors.
  return pipeline(Readable.from(bytes, { objectMode: false }), decoder, () => {});
}

async function* guardedBytes(
  bytes: AsyncIterable<Uint8Array>,
  limit: BodySize,
  held: HeldBody,
): AsyncGenerator<Uint8Array> {
  const count = new JsonCount();
  let [length, values] = [0, 0];
  for await (const part of bytes) {
    length += part.length;
    if (length > limit.bytes) throw bodyTooLong(limit.bytes)();
    count.add(part);
    if (count.deepest > NESTING_LIMIT) throw invalidInput('body', `is nested deeper than ${NESTING_LIMIT} levels`);
    if (count.values > limit.values) throw tooWide(limit);
    if (count.widest > OBJECT_KEYS) throw tooManyKeys();
    held.take(part.length, count.values - values);
    values = count.values;
    yield part;
  }
  // The parser begins when the last byte is known.
  await turn(held);
}

/** The message of `@hapi/bourne`, by which the parser rejects keys that could set a prototype. */
const FORBIDDEN_KEY = 'Object contains forbidden prototype property';

/** The parser's own message quotes the body, which may contain a secret. */
function rejectionOf(error: Error): NodewrightError {
  if (error instanceof NodewrightError) return error;
  if (error.message === FORBIDDEN_KEY)
    return invalidBody('A key of the body is __proto__, which is not accepted; rename it');
  return error instanceof SyntaxError ? invalidBody('The body is not a JSON object; correct it') : brokenOff(error);
}

const invalidBody = (message: string) => new NodewrightError('INVALID', message);
const wrongType = (type: string) =>
  new NodewrightError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Content type is ${type === '' ? 'missing' : JSON.stringify(type.slice(0, 100))}, expected application/json`,
  );

const tooWide = ({ values }: BodySize) =>
  new NodewrightError('TOO_LARGE', `The body has more than ${values} values; send less`);
const tooManyKeys = () =>
  new NodewrightError(
    'TOO_LARGE',
    `An object of the body has more than ${OBJECT_KEYS} keys; use several objects or a list`,
  );
const brokenOff = (cause?: unknown) =>
  new NodewrightError('INVALID', 'The body could not be read completely; send it again', { cause });
