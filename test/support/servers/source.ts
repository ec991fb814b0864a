/** A web server with an installation source: a few files in memory. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scope } from '../ava/scope.ts';

export interface HttpSource {
  url: string;
  close(): Promise<void>;
}

/** @param files by path */
export async function startSource(files: Readonly<Record<string, string | Uint8Array>>): Promise<HttpSource> {
  const server = createServer(({ url = '' }, response) => {
    const text = files[url];
    response.statusCode = text === undefined ? 404 : 200;
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Such a server with a file of each name, closed when its owner ends. @returns its URL */
export async function serveImages(t: Scope, ...names: readonly string[]): Promise<string> {
  const { url, close } = await startSource(Object.fromEntries(names.map((name) => [`/${name}`, `image ${name}`])));
  t.teardown(close);
  return url;
}
