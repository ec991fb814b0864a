/** The site of the pages at /docs: what is served of it, and what is not. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import Koa from 'koa';
import { siteFiles } from '../../api/middleware/site.ts';
import { folder } from '../support/ava/folder.ts';
import { openApi, southbound } from '../support/servers/api.ts';

const pages = {
  'index.html': '<h1>Home</h1>',
  'operate/index.html': '<h1>Operate</h1>',
  'reference/tasks/Task.noop.html': '<h1>Task.noop</h1>',
  'assets/app.Xm2tETw7.js': 'app()',
  'assets/chunks/@localSearchIndexroot.heUDaNEO.js': 'search()',
  '.hidden.html': 'hidden',
};

/** Serves a site with a secret beside it. @returns a function that requests a path as it is */
async function serveSite(t: ExecutionContext) {
  const home = folder(t);
  writeFileSync(join(home, 'secret.html'), 'secret');
  for (const [name, text] of Object.entries(pages)) {
    const file = join(home, 'site', name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
    writeFileSync(`${file}.gz`, gzipSync(text));
  }
  const app = new Koa().use(siteFiles(join(home, 'site')));
  const server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return async (path: string, method = 'GET', headers = {}) => {
    const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }).end();
    const [answer] = await once(sent, 'response');
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part);
    return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString() };
  };
}

test('the pages have addresses without an extension, and their folders end with a slash', async (t) => {
  const get = await serveSite(t);
  for (const [path, text] of [
    ['/docs', '<h1>Home</h1>'],
    ['/docs/', '<h1>Home</h1>'],
    ['/docs/operate/', '<h1>Operate</h1>'],
    ['/docs/reference/tasks/Task.noop', '<h1>Task.noop</h1>'],
  ] as const) {
    const answer = await get(path);
    t.like(answer, { status: 200, text });
    t.is(answer.headers['content-type'], 'text/html; charset=utf-8');
    t.is(answer.headers['cache-control'], 'no-cache');
    t.regex(answer.headers['content-security-policy'], /default-src 'none'; script-src 'self'; /);
  }
  t.like(await get('/docs/operate'), { status: 302, headers: { location: '/docs/operate/' } });
});

test('a file that is named by its content is kept for a year, and sent compressed to a client that accepts that', async (t) => {
  const get = await serveSite(t);
  const { headers } = await get('/docs/assets/app.Xm2tETw7.js', 'HEAD', { 'accept-encoding': 'gzip' });
  t.like(headers, {
    'content-type': 'text/javascript; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  t.is((await get('/docs/assets/chunks/@localSearchIndexroot.heUDaNEO.js')).text, 'search()');
});

test('no path leads out of the site, to a hidden file, or to a change', async (t) => {
  const get = await serveSite(t);
  for (const path of [
    '/docs/../secret',
    '/docs/../secret.html',
    '/docs/operate/../../secret.html',
    '/docs/%2e%2e/secret.html',
    '/docs/..%2fsecret.html',
    '/docs/..\\secret.html',
    '/docs//../secret.html',
    '/docs/.hidden',
    '/docs/.hidden.html',
    '/docs/index.html%00',
    '/docs/nothing',
    '/docsx',
  ]) {
    t.is((await get(path)).status, 404, path);
  }
  t.is((await get('/docs', 'POST')).status, 404);
});

test('the reference of the interface is below the site, and on the endpoint for nodes it is all that there is', async (t) => {
  const north = await openApi(t);
  const south = await openApi(t, southbound);
  for (const [{ send }, path] of [
    [north, '/docs/openapi'],
    [south, '/docs/openapi'],
    [south, '/docs'],
  ] as const) {
    const { status, body } = await send('GET', path);
    t.is(status, 200);
    t.regex(body, /swagger-ui-bundle\.js/);
    t.regex(body, /npm run docs/);
  }
  t.is((await north.send('POST', '/docs')).status, 405);
});
