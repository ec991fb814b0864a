/** Reads the body: JSON or none; a body over the limit is rejected while it is read. */
import type { Context, Middleware } from 'koa';
import { NodewrightError } from '../../engine/define/errors.ts';
import { fieldOf } from '../../engine/define/thrown.ts';

/** Of `@hapi/bourne`, by which the parser rejects keys that could set a prototype. */
const FORBIDDEN_KEY = 'Object contains forbidden prototype property';

const JSON_TYPES = ['application/json', 'application/*+json'];

export type BodyReader = (ctx: Context) => Promise<unknown>;

/** @param limit bytes, after decompression @param more further JSON types @returns parsed body; {} if there is none */
export function bodyReader(limit: number, more: readonly string[] = []): BodyReader {
  const jsonTypes = [...JSON_TYPES, ...more];
  let parser: Promise<Middleware> | undefined;
  return async (ctx) => {
    if (isEmpty(ctx)) return {};
    if (!ctx.is(jsonTypes)) throw wrongType(ctx.get('content-type'));
    parser ??= parserOf(limit, jsonTypes);
    const read = await parser;
    // A request that is already closed emits no more events, so reading it would never end.
    if (ctx.req.destroyed) throw brokenOff();
    await read(ctx, async () => {});
    return ctx.request.body ?? {};
  };
}

/** Loads the parser with the first body, because it comes with parsers of forms, and takes longer than many modules. */
async function parserOf(limit: number, jsonTypes: string[]): Promise<Middleware> {
  const { HttpMethodEnum, koaBody } = await import('koa-body');
  return koaBody({
    jsonLimit: limit,
    jsonTypes,
    urlencoded: false,
    text: false,
    patchKoa: true,
    parsedMethods: Object.values(HttpMethodEnum),
    onError: (error) => {
      throw rejectionOf(error, limit);
    },
  });
}

/** Clients may send a content type without a body (curl -X POST -d ''). */
function isEmpty(ctx: Context): boolean {
  return ctx.get('transfer-encoding') === '' && ['', '0'].includes(ctx.get('content-length'));
}

const wrongType = (type: string) =>
  new NodewrightError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Content type is ${type === '' ? 'missing' : JSON.stringify(type.slice(0, 100))}, expected application/json`,
  );

/** The parser's own message quotes the body, which may contain a secret. */
function rejectionOf(error: Error, limit: number): NodewrightError {
  const status = fieldOf(error, 'status');
  if (status === 413) return new NodewrightError('TOO_LARGE', `The body is longer than ${limit} bytes; send less`);
  if (status === 415) return new NodewrightError('UNSUPPORTED_MEDIA_TYPE', 'Unknown charset or content encoding');
  if (error.message === FORBIDDEN_KEY)
    return new NodewrightError('INVALID', 'A key of the body is __proto__, which is not accepted; rename it');
  if (error instanceof SyntaxError) return new NodewrightError('INVALID', 'The body is not a JSON object; correct it');
  return brokenOff(error);
}

const brokenOff = (cause?: Error) =>
  new NodewrightError('INVALID', 'The body could not be read completely; send it again', { cause });
