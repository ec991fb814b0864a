/**
 * Bodies that are not JSON: streamed to the handler, never buffered as a whole. The request itself is never destroyed,
 * so that a rejection can still be sent mid-upload.
 */
import { PassThrough, Readable } from 'node:stream';
import type { Context } from 'koa';
import { bodyTooLong, limitBytes } from '../../engine/vocabulary/byte-limits.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { receivedBytes } from '../http/body-timeout.ts';
import type { Upload } from '../http/route.ts';

const FORM = 'multipart/form-data';
/** Maximum bytes of a form in addition to its file. */
const FORM_ROOM = 64 * 1_024;
/** The form field of the file. */
const FIELD = 'file';

/**
 * @param limit bytes
 * @throws NodewrightError UNSUPPORTED_MEDIA_TYPE, INVALID by the headers, TOO_LARGE of a declared length immediately; TOO_LARGE, INVALID while the body is read
 */
export function uploadOf(ctx: Context, upload: Upload | undefined, limit: number): AsyncIterable<Uint8Array> {
  const type = ctx.get('content-type');
  const { types = [], form = false } = upload ?? {};
  const isForm = form && ctx.is(FORM) === FORM;
  // Without a body koa's `is` returns null for any type.
  const fits = type === '' || isForm || types.some((one) => typeof ctx.request.is(one) === 'string') || !hasBody(ctx);
  if (!fits) throw wrongType(type, form ? [...types, FORM] : types);
  rejectPart(ctx);
  const tooLong = bodyTooLong(limit);
  const most = isForm ? limit + FORM_ROOM : limit;
  // Before gigabytes are sent in vain.
  if (Number(ctx.get('content-length')) > most) throw tooLong();
  const bytes = limitBytes(wholeBody(ctx), most, tooLong);
  return isForm ? limitBytes(fileOf(bytes, ctx), limit, tooLong) : bytes;
}

/** @throws NodewrightError for a body that is only a part, or an encoding, of the file: it would be stored as the file */
function rejectPart(ctx: Context): void {
  if (ctx.get('content-range') !== '') throw invalidInput('Content-Range', 'is not accepted; send the whole file');
  if (!['', 'identity'].includes(ctx.get('content-encoding').toLowerCase()))
    throw new NodewrightError('UNSUPPORTED_MEDIA_TYPE', 'An upload has no content encoding; send the file as it is');
}

const hasBody = (ctx: Context): boolean =>
  ctx.get('transfer-encoding') !== '' || !['', '0'].includes(ctx.get('content-length'));

async function* wholeBody(ctx: Context): AsyncGenerator<Uint8Array> {
  try {
    yield* receivedBytes(ctx.req);
  } catch (cause) {
    throw new NodewrightError('INVALID', 'The body could not be read completely; send it again', { cause });
  }
}

/** Streams the file of a form; of several files the first. */
async function* fileOf(bytes: AsyncIterable<Uint8Array>, ctx: Context): AsyncGenerator<Uint8Array> {
  const file = new PassThrough();
  let violation: unknown;
  let found = false;
  // Loaded with the first form, which few clients send.
  const { formidable } = await import('formidable');
  const form = formidable({
    maxFileSize: Number.MAX_SAFE_INTEGER,
    maxFiles: 1,
    maxFields: 100,
    maxFieldsSize: FORM_ROOM,
    allowEmptyFiles: true,
    minFileSize: 0,
    filter: ({ name }) => name === FIELD,
    fileWriteStreamHandler: () => {
      found = true;
      return file;
    },
  });
  // A part with a file name is a file, even without a content type, which Python's requests omits.
  form.onPart = (part) => {
    if (part.originalFilename) part.mimetype ||= 'application/octet-stream';
    return form._handlePart(part);
  };
  // Errors of the byte stream are reported as they are, not as parser errors.
  const watchedBytes = async function* () {
    try {
      yield* bytes;
    } catch (error) {
      violation = error;
      throw error;
    }
  };
  const source = Object.assign(Readable.from(watchedBytes()), { headers: ctx.req.headers });
  const parsed = form.parse(source as unknown as typeof ctx.req).then(
    () => file.end(),
    (error: Error) => file.destroy(error),
  );
  source.on('error', (error) => file.destroy(error));
  try {
    yield* file;
  } catch (cause) {
    throw violation ?? new NodewrightError('INVALID', 'The form could not be read; send it again', { cause });
  } finally {
    source.destroy();
  }
  await parsed;
  if (!found) throw new NodewrightError('INVALID', `The form has no file in its field '${FIELD}'; add it`);
}

function wrongType(type: string, expected: readonly string[]): NodewrightError {
  const found = JSON.stringify(type.slice(0, 100));
  return new NodewrightError('UNSUPPORTED_MEDIA_TYPE', `Content type is ${found}, expected ${expected.join(', ')}`);
}
