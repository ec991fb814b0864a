/**
 * Reads a JSON body. Its bytes and values are counted as they arrive, and one over a limit is rejected before it is parsed. The
 * request itself is never destroyed, so that a rejection can still be sent.
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Context } from 'koa';
import { invalid, NodewrightError } from '../../engine/define/errors.ts';
import { pause } from '../../engine/lib/pause.ts';
import type { Held } from '../bodies-in-hand.ts';
import { MAX_DEPTH } from '../check.ts';
import { JsonCount } from '../json-count.ts';

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
  held: Held,
  more: readonly string[] = [],
): Promise<unknown> {
  if (isEmpty(ctx)) return {};
  if (!ctx.is([...JSON_TYPES, ...more])) throw wrongType(ctx.get('content-type'));
  const declared = Number(ctx.get('content-length'));
  if (declared > limit.bytes) throw tooLong(limit);
  held.take(declared, 0);
  // A request that is already closed emits no more events, so reading it would never end.
  if (ctx.req.destroyed) throw brokenOff();
  const text = await textOf(bytesOf(ctx), limit, declared, held);
  await turn(held);
  const value = parsed(text);
  await turn(held);
  return value;
}

/** Weight from which each step of the handling of a body waits for its turn, so that all of them together leave room for others. */
const HEAVY = 256 * 1_024;

export const turn = ({ weight }: Pick<Held, 'weight'>): Promise<void> | undefined =>
  weight < HEAVY ? undefined : pause();

/** Clients may send a content type without a body (curl -X POST -d ''). */
function isEmpty(ctx: Context): boolean {
  return ctx.get('transfer-encoding') === '' && ['', '0'].includes(ctx.get('content-length'));
}

function bytesOf(ctx: Context): AsyncIterable<Uint8Array> {
  const bytes = ctx.req.iterator({ destroyOnReturn: false });
  const encoding = ctx.get('content-encoding').toLowerCase();
  if (['', 'identity'].includes(encoding)) return bytes;
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined;
  if (decoder === undefined) throw new NodewrightError('UNSUPPORTED_MEDIA_TYPE', 'Unknown content encoding');
  // The reader of the decoder gets its errors.
  return pipeline(Readable.from(bytes, { objectMode: false }), decoder, () => {});
}

async function textOf(
  bytes: AsyncIterable<Uint8Array>,
  limit: BodySize,
  declared: number,
  held: Held,
): Promise<string> {
  const parts: Uint8Array[] = [];
  const count = new JsonCount();
  let [length, taken, values] = [0, declared, 0];
  try {
    for await (const part of bytes) {
      parts.push(part);
      length += part.length;
      if (length > limit.bytes) throw tooLong(limit);
      count.add(part);
      if (count.deepest > MAX_DEPTH) throw invalid('body', `is nested deeper than ${MAX_DEPTH} levels`);
      if (count.values > limit.values) throw tooWide(limit);
      held.take(Math.max(0, length - taken), count.values - values);
      [taken, values] = [Math.max(taken, length), count.values];
    }
  } catch (error) {
    throw error instanceof NodewrightError ? error : brokenOff(error);
  }
  return Buffer.concat(parts).toString();
}

/** Of the order of bytes. */
const MARK = '\ufeff';
const PROTOTYPE = '__proto__';

/** The parser's own message quotes the body, which may contain a secret. */
function parsed(text: string): unknown {
  if (text === '') return {};
  try {
    const json = text.startsWith(MARK) ? text.slice(1) : text;
    // Only a text that may contain the key is searched for it, because that takes long.
    const mayName = json.includes(PROTOTYPE) || json.includes('\\u00');
    const value = mayName ? JSON.parse(json, withoutPrototype) : JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    if (error instanceof NodewrightError) throw error;
  }
  throw new NodewrightError('INVALID', 'The body is not a JSON object; correct it');
}

/** @throws NodewrightError INVALID for a key that could set a prototype where the object is copied */
function withoutPrototype(key: string, value: unknown): unknown {
  if (key !== PROTOTYPE) return value;
  throw new NodewrightError('INVALID', `A key of the body is ${PROTOTYPE}, which is not accepted; rename it`);
}

const wrongType = (type: string) =>
  new NodewrightError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Content type is ${type === '' ? 'missing' : JSON.stringify(type.slice(0, 100))}, expected application/json`,
  );

const tooLong = ({ bytes }: BodySize) =>
  new NodewrightError('TOO_LARGE', `The body is longer than ${bytes} bytes; send less`);
const tooWide = ({ values }: BodySize) =>
  new NodewrightError('TOO_LARGE', `The body has more than ${values} values; send less`);
const brokenOff = (cause?: unknown) =>
  new NodewrightError('INVALID', 'The body could not be read completely; send it again', { cause });
