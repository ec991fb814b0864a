/** A ZIP archive as a stream: each file is compressed when the reader has received those before it. */
import { Zip, ZipDeflate } from 'fflate';

/** Name and text. */
export type ZippedFile = readonly [name: string, text: string];

/** The same files give the same bytes. @param at the time of all files, ISO 8601 */
export async function* zipStream(files: AsyncIterable<ZippedFile>, at: string): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  for await (const [name, text] of files) {
    const file = new ZipDeflate(name);
    file.mtime = at;
    zip.add(file);
    file.push(new TextEncoder().encode(text), true);
    yield* chunks.splice(0);
  }
  zip.end();
  yield* chunks;
}
