/** Reads the body of a request to a BMC. Of an image only the beginning is kept, which has its name. */
import type { BmcAsked } from './asked.ts';
import { BmcRefusal } from './refusals.ts';
import { routesAt } from './routes.ts';

const MIB = 1_048_576;
/** Of JSON. */
const BODY_LIMIT = MIB;
const IMAGE_LIMIT = 1_024 * MIB;
/** Of an image: the parameters stand before it. */
const HEAD_LIMIT = MIB / 16;

/** @throws BmcRefusal 413; what the stream throws */
export async function readBody(
  stream: AsyncIterable<Uint8Array>,
  method: string,
  path: string,
  model: BmcAsked['model'],
): Promise<{ body: Buffer; size: number }> {
  const isImage = method === 'POST' && routesAt(path, model).some(({ route }) => route.takesImage === true);
  const [most, kept] = isImage ? [IMAGE_LIMIT, HEAD_LIMIT] : [BODY_LIMIT, BODY_LIMIT];
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (size < kept) chunks.push(chunk.subarray(0, kept - size));
    size += chunk.length;
    if (size > most) throw new BmcRefusal(413, 'PayloadTooLarge');
  }
  return { body: Buffer.concat(chunks), size };
}
