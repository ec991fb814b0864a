/**
 * The area of an image of the microkernel that holds the settings of one node. The image is made by
 * `fixtures/microkernel/build.sh`: a line in the application's field of its volume descriptor (ECMA-119, 8.4.32) says where the
 * area is, and the kernel unpacks the area as a second RAM disk. It is empty until the daemon sends the image for a node.
 */

/** The bytes of an image that have the line. */
export const AREA_LINE = { start: 33_651, end: 33_714 } as const;

/** The first byte of the area, and that after the last one. */
export interface NodeArea {
  start: number;
  end: number;
}

const SECTOR_BYTES = 2_048;
const LARGEST = 1_048_576;

/** @param line the bytes at `AREA_LINE` @returns undefined if they are no such line */
export function nodeAreaIn(line: string): NodeArea | undefined {
  const [, at, bytes] = /^nodewright-area (\d{1,12}) (\d{1,7})\n/.exec(line) ?? [];
  const [start, length] = [Number(at), Number(bytes)];
  if (!(start > AREA_LINE.end && start % SECTOR_BYTES === 0 && length >= SECTOR_BYTES && length <= LARGEST))
    return undefined;
  return { start, end: start + length };
}

/** The path of the file in the root of the microkernel. */
const NAME = 'etc/nodewright';
const HEADER_BYTES = 110;
const ALIGNMENT = 4;
/** A file that only root reads. */
const MODE = 0o100600;

/** @returns the content of an area with the text as its file @throws RangeError if the area is too small */
export function filledArea(text: string, { start, end }: NodeArea): Buffer {
  const archive = Buffer.concat([entry(NAME, Buffer.from(text), MODE), entry('TRAILER!!!', Buffer.alloc(0), 0)]);
  const area = Buffer.alloc(end - start);
  if (archive.length > area.length)
    throw new RangeError(`the settings have ${archive.length} bytes, expected at most ${area.length}`);
  archive.copy(area);
  return area;
}

/** An entry of a cpio archive in the format `newc` (Linux, Documentation/driver-api/early-userspace/buffer-format.rst). */
function entry(name: string, content: Buffer, mode: number): Buffer {
  const fields = [1, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length + 1, 0];
  const head = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}${name}\0`;
  return Buffer.concat([withPadding(Buffer.from(head)), withPadding(content)]);
}

const withPadding = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(alignedLength(bytes.length) - bytes.length)]);
const alignedLength = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

/** @param area its beginning @returns the text of its file; undefined if it has none */
export function textInArea(area: string): string | undefined {
  if (!area.startsWith('070701') || !area.startsWith(`${NAME}\0`, HEADER_BYTES)) return undefined;
  const begin = alignedLength(HEADER_BYTES + NAME.length + 1);
  return area.slice(begin, begin + Number.parseInt(area.slice(54, 62), 16));
}
