/** Reads the body of a request to a BMC. Of an image only the beginning is read, which has its parameters and its name. */
import { beginningOf, FILE_HEAD } from '../../../vocabulary/byte-limits.ts';
import { MIB } from '../../../vocabulary/units.ts';
import { IMAGE_LIMIT } from '../machine/image-fetch.ts';
import type { BmcCall } from './bmc-call.ts';
import { BmcRejection } from './bmc-rejection.ts';
import { routesAt } from './routes.ts';

/** Limit of a JSON body. */
const BODY_LIMIT = MIB;

/** @throws BmcRejection 413; what the stream throws */
export async function readBmcBody(
  stream: AsyncIterable<Uint8Array>,
  method: string,
  path: string,
  model?: BmcCall['model'],
): Promise<{ body: Buffer; size: number }> {
  const rows = model === undefined || method !== 'POST' ? [] : routesAt(path, model);
  const isImage = rows.some(({ route }) => route.takesImage === true);
  const [most, headLimit] = isImage ? [IMAGE_LIMIT, FILE_HEAD] : [BODY_LIMIT, BODY_LIMIT];
  const { head, size } = await beginningOf(stream, headLimit, most, () => new BmcRejection(413, 'PayloadTooLarge'));
  return { body: head, size };
}
