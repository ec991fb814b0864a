/** The body of a multipart update (DSP0266, 12.6.2.2; RFC 7578): two parts, the second of which is streamed. */
import { randomBytes } from 'node:crypto';
import type { RedfishUpload } from '../../define/obm.ts';

interface Multipart {
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
}

/** BMCs reject chunked bodies, so the length is sent. */
export function multipartOf({ parameters, file }: RedfishUpload): Multipart {
  const boundary = `nodewright-${randomBytes(16).toString('hex')}`;
  const disposition = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
  const name = file.name.replaceAll(/[^\w.+-]/g, '_');
  const before = Buffer.from(
    `${disposition('UpdateParameters')}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(parameters)}\r\n` +
      `${disposition('UpdateFile')}; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(before.length + file.size + after.length),
    },
    body: inTurn(before, file.open(), after),
  };
}

async function* inTurn(before: Buffer, file: AsyncIterable<Uint8Array>, after: Buffer): AsyncGenerator<Uint8Array> {
  yield before;
  yield* file;
  yield after;
}
