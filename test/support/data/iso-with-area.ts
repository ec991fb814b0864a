/** An image with an area for a node, as `fixtures/microkernel/build.sh` makes it, with other bytes around the area. */
import { AREA_LINE } from '../../../engine/platform/lib/node-area.ts';

export const AREA_BYTES = 65_536;

/** @param line which says where the area is; it begins and ends at multiples of `AREA_BYTES` */
export function isoWithArea(line = `nodewright-area ${AREA_BYTES} ${AREA_BYTES}\n`): Buffer {
  const bytes = Buffer.alloc(4 * AREA_BYTES, 'x');
  bytes.fill(0, AREA_BYTES, 2 * AREA_BYTES);
  bytes.write(line, AREA_LINE.start, 'latin1');
  return bytes;
}
