/** Reads the body of a request to a BMC. Of an image only the beginning is headLimit, which has its name. */
import type { BmcCall } from './bmc-call.ts';
import { BmcRejection } from './bmc-rejection.ts';
import { routesAt } from './routes.ts';

const MIB = 1_048_576;
/** Limit of a JSON body. */
const BODY_LIMIT = MIB;
const IMAGE_LIMIT = 1_024 * MIB;
/** Bytes of an image that are kept; the parameters precede it. */
const HEAD_LIMIT = MIB / 16;

/** @throws BmcRejection 413; what the stream throws */
export async function readBmcBody(
  stream: AsyncIterable<Uint8Array>,
  method: string,
  path: string,
  model?: BmcCall['model'],
): Promise<{ body: Buffer; size: number }> {
  const rows = model === undefined || method !== 'POST' ? [] : routesAt(path, model);
  const isImage = rows.some(({ route }) => route.takesImage === true);
  const [most, headLimit] = isImage ? [IMAGE_LIMIT, HEAD_LIMIT] : [BODY_LIMIT, BODY_LIMIT];
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (size < headLimit) chunks.push(chunk.subarray(0, headLimit - size));
    size += chunk.length;
    if (size > most) throw new BmcRejection(413, 'PayloadTooLarge');
  }
  return { body: Buffer.concat(chunks), size };
}
