/** A mirror of Debian on this host, for machines that reach only the host: forwards requests to another one, and keeps packages. */
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Scope } from '../ava/scope.ts';

const SILENCE_MS = 60_000;
const SERVED = /^\/(?!.*\.\.)[\w./+~%:-]+$/;
/** Packages never change under their name, but indexes do. */
const PACKAGE = /^\/pool\//;

interface Mirror {
  /** URL of the other mirror. */
  origin: string;
  /** Folder of its packages. */
  home: string;
}

/** @returns its URL */
export async function startMirror(t: Scope, mirror: Mirror): Promise<string> {
  const server = createServer((request, response) => {
    answer(mirror, request.url ?? '', response).catch((error) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer({ origin, home }: Mirror, path: string, response: ServerResponse): Promise<void> {
  if (!SERVED.test(path)) return void response.writeHead(404).end();
  const url = `${origin}${path}`;
  const file = join(home, path);
  if (!PACKAGE.test(path)) return pipeline(await upstream(url, response), response);
  if (!existsSync(file)) {
    const source = await upstream(url, response);
    if (response.statusCode !== 200) return pipeline(source, response);
    mkdirSync(dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}`;
    await pipeline(source, createWriteStream(draft));
    renameSync(draft, file);
  }
  response.setHeader('content-length', statSync(file).size);
  await pipeline(createReadStream(file), response);
}

/** Requests it from the other mirror, and passes status and length on. */
function upstream(url: string, response: ServerResponse): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout: SILENCE_MS }, (source) => {
      response.statusCode = source.statusCode ?? 502;
      const { 'content-length': length } = source.headers;
      if (length !== undefined) response.setHeader('content-length', length);
      resolve(source);
    });
    request.on('timeout', () => request.destroy(new Error(`${url}: nothing came for ${SILENCE_MS} ms`)));
    request.on('error', reject);
  });
}
