/** Credentials that look like words, sent by tasks to a server that returns all that it gets, as an error or as a result. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine; server: Server; host: string }>;

/** By task: what the graph of its test is called. */
const senders = { 'Task.Run.Rest.Command': 'Graph.Test.Command', 'Task.Rest.Catalog': 'Graph.Test.Catalog' } as const;

test.before(async (t) => {
  const it = await openEngine();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const basic = Buffer.from(`${request.headers.authorization ?? ''}`.replace('Basic ', ''), 'base64').toString();
    response.statusCode = request.url?.includes('fails') ? 500 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ said: `${request.url} ${JSON.stringify(request.headers)} ${basic} ${body}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  Object.assign(t.context, { it, server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
  for (const [taskName, injectableName] of Object.entries(senders)) {
    const tasks = [
      { label: 'it', taskName, ...(taskName === 'Task.Rest.Catalog' && { optionOverrides: { source: 'said' } }) },
    ];
    await it.engine.library.putGraph({ friendlyName: injectableName, injectableName, tasks });
  }
});
test.after.always(async ({ context: { it, server } }) => {
  await it?.close();
  server?.closeAllConnections();
  server?.close();
});

/** Options that send a credential, by the place of it. */
const places: Record<string, (secret: string, url: string) => Record<string, unknown>> = {
  'a header with a scheme': (secret, url) => ({ url, headers: { 'x-vendor': `Bearer ${secret}` } }),
  'the usual header': (secret, url) => ({ url, headers: { authorization: `Token ${secret}` } }),
  'a header with an auth-like name': (secret, url) => ({ url, headers: { 'x-auth': secret } }),
  'a header with such a name and another scheme': (secret, url) => ({ url, headers: { 'X-Auth': `ApiKey ${secret}` } }),
  'a header that names a session': (secret, url) => ({ url, headers: { 'x-session': secret } }),
  'a signature': (secret, url) => ({ url, headers: { 'x-signature': secret } }),
  'the user information of a URL': (secret, url) => ({ url: url.replace('://', `://operator:${secret}@`) }),
  'a user alone in a URL': (secret, url) => ({ url: url.replace('://', `://${secret}@`) }),
  'a parameter of a URL': (secret, url) => ({ url: `${url}?access_token=${secret}` }),
  'the password of a credential': (secret, url) => ({ url, credential: { username: 'operator', password: secret } }),
  'a member of the body': (secret, url) => ({ url, method: 'POST', body: { name: 'n', password: secret } }),
  'a body that is a text': (secret, url) => ({ url, method: 'POST', body: secret }),
  'the data of RackHD': (secret, url) => ({ url, method: 'POST', data: { auth: secret } }),
};

const page = { skip: 0, limit: 100, filter: {} };
const words = fc.stringMatching(/^zq[a-z]{6,20}$/);

for (const [taskName, graph] of Object.entries(senders)) {
  for (const [at, [place, optionsOf]] of Object.entries(places).entries()) {
    const unique = `${taskName.includes('Catalog') ? 'c' : 'd'}${String.fromCharCode(97 + at)}`;
    test(`${taskName}: ${place} is a secret whatever it looks like`, async (t) => {
      const { it, host } = t.context;
      for (const [n, word] of fc.sample(words, 2).entries()) {
        const secret = word + unique;
        const url = `http://${host}/${n === 0 ? 'fails' : 'works'}`;
        const node = (await it.node()).id;
        const { id } = await it.launch(graph, { it: optionsOf(secret, url) }, node);
        const row = await it.finished(id);
        t.is(row.status, n === 0 ? 'failed' : 'succeeded', JSON.stringify(row.error));
        const history = await it.engine.workflows.history(id, page);
        const catalogs = await it.engine.catalogs.all({ ...page, filter: { node } });
        for (const [what, found] of Object.entries({ row, history, catalogs, events: it.events })) {
          const text = JSON.stringify(found);
          t.false(
            text.includes(secret),
            `${what}: ${text.slice(Math.max(0, text.indexOf(secret) - 200)).slice(0, 300)}`,
          );
        }
      }
    });
  }
}
