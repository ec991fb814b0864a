/** Archives as users upload them: a gzip-compressed tar, valid and invalid ones. */
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

export type Entries =
  | Record<string, string | Buffer | object>
  | readonly [Partial<Header> & { name: string }, string?][];

const contentOf = (content: string | Buffer | object) =>
  typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);

/** @param entries content by name, an object as JSON; or headers that are written unchanged */
export async function tarOf(entries: Entries): Promise<Buffer> {
  const archive = pack();
  if (Array.isArray(entries)) {
    for (const [header, content] of entries) archive.entry(header as Header, content ?? '');
  } else {
    for (const [name, content] of Object.entries(entries)) archive.entry({ name }, contentOf(content));
  }
  archive.finalize();
  return buffer(archive);
}

export const archiveOf = async (entries: Entries): Promise<Buffer> => gzipSync(await tarOf(entries));

/** Yields the bytes in parts of a given size. */
export async function* inParts(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
