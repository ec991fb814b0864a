/**
 * A daemon with secrets of every kind, and services that leak them: a server that echoes its requests and issues
 * tokens, a BMC that quotes passwords in its errors, a command and an agent that print them, a node that posts them.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Scope } from '../ava/scope.ts';
import { startRedfish } from '../bmcs/redfish.ts';
import { rejection } from '../bmcs/redfish-protocol.ts';
import { folders } from '../engine/definition-folders.ts';
import { type DaemonProcess, startDaemonProcess } from '../servers/daemon.ts';
import { startReceiver } from '../servers/receiver.ts';
import { Planted } from './planted-secrets.ts';

export interface SecretScene {
  daemon: DaemonProcess;
  planted: Planted;
  /** Everything that the daemon has sent to its users: bodies of answers, posts to a hook. */
  readonly out: string[];
  /** Everything that the services received: these must contain the secrets. */
  readonly heard: string[];
  /** Workflow ids by purpose. */
  readonly workflows: Record<string, string>;
}

const LOOK_MS = 100;

export async function secretScene(
  t: Scope,
  options: { env?: NodeJS.ProcessEnv; dataDir?: string },
): Promise<SecretScene> {
  const planted = new Planted();
  const out: string[] = [];
  const heard: string[] = [];
  const services = await startWorld(t, planted, heard);
  const bmc = await startRedfish(t, { vendor: (asked) => quotes(asked, planted) });
  planted.add('obm password', bmc.config.password);
  const receiver = await startReceiver(t);
  const config = {
    ...folders,
    shellCommands: ['/bin/sh'],
    ...(options.dataDir && { dataDir: options.dataDir }),
    env: {
      apiToken: planted.of('env'),
      bmc: { kg: planted.of('env kg') },
      repository: `http://reader:${planted.of('env url')}@127.0.0.1/`,
    },
  };
  const daemon = await startDaemonProcess(t, { config, ...(options.env && { env: options.env }) });
  const ask: DaemonProcess['api'] = async (method, path, body) => {
    const answer = await daemon.api(method, path, body);
    out.push(`${method} ${path} ${JSON.stringify(answer.body)}`);
    return answer;
  };
  const made = async (path: string, body: unknown, method = 'POST') => {
    const answer = await ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await made('/hooks', { url: `${receiver.url}/?token=${planted.of('hook url')}`, secret: planted.of('hook secret') });
  for (const graph of graphsOf(planted, services)) await made('/workflows/graphs', graph, 'PUT');
  const discoveryGraphOptions = {
    first: { body: { serial: planted.of('sku body') } },
    defaults: { pwd: planted.of('sku') },
  };
  const rules = [{ path: 'manual.kind', equals: 'r1' }];
  await made('/skus', { name: 'r1', rules, discoveryGraphName: 'Graph.Secret.Rest', discoveryGraphOptions });
  const node: string = (
    await made('/nodes', {
      type: 'compute',
      name: 'one',
      config: { ssh: { pass: planted.of('node') }, uri: `https://u:${planted.of('node url')}@h/` },
    })
  ).id;
  const uri = bmc.config.uri.replace('://', `://root:${planted.of('obm uri')}@`);
  const extra = {
    community: planted.of('community'),
    kg: planted.of('kg'),
    psk: planted.of('psk'),
    new: planted.of('new key'),
  };
  await made(`/nodes/${node}/obm`, { service: 'redfish-obm-service', config: { ...bmc.config, uri, ...extra } }, 'PUT');
  await made(
    `/nodes/${node}/obm`,
    { service: 'noop-obm-service', config: { pwd: planted.of('pwd'), pass: 'x' } },
    'PUT',
  );
  await made(`/nodes/${node}/catalogs`, { source: 'manual', data: { kind: 'r1' } });

  const workflows: Record<string, string> = {};
  const launch = async (name: string, given: object = {}): Promise<string> => {
    const { id } = await made(`/nodes/${node}/workflows`, { name, options: given });
    workflows[name] = id;
    return id;
  };
  const ended = async (id: string) => {
    for (;;) {
      const { body } = await ask('GET', `/workflows/${id}`);
      if (!['pending', 'running'].includes(body.status)) return body;
      out.pop();
      await setTimeout(LOOK_MS);
    }
  };
  await ended(await launch('Graph.Secret.Rest', restOptions(planted, services)));
  await ended(await launch('Graph.Secret.Child', childOptions(planted, services)));
  await ended(await launch('Graph.Secret.Shell', { run: { env: { USER_PWD: planted.of('shell') } } }));
  await ended(
    await launch('Graph.Secret.Fails', {
      it: {
        url: `${services}/fail`,
        headers: { cookie: planted.of('cookie') },
        credential: { username: 'admin', password: planted.of('credential') },
      },
    }),
  );
  await ended(await launch('Graph.PowerOn.Node'));
  await ended(await launch('Graph.Redfish.Alert.Subscribe', { defaults: { alertServer: 'http://127.0.0.1:1/' } }));
  await agentRun(daemon, node, heard, await launch('Graph.Secret.Commands', commandOptions(planted)));
  await ended(workflows['Graph.Secret.Commands'] as string);
  await putTemplate(daemon);
  await waiting(daemon, node, planted, heard, await launch('Graph.Secret.Wait'));
  await ended(workflows['Graph.Secret.Wait'] as string);
  await ask('POST', `/nodes/${node}/workflows`, {
    name: 'Graph.Secret.Rest',
    options: { first: { password: planted.of('rejected') } },
  });
  for (const { headers } of bmc.asked) {
    const token = headers['x-auth-token'];
    if (token !== undefined) planted.add('session token', String(token));
  }
  await receiver.posted.until((all) =>
    all.some(({ event }) => event.typeId === workflows['Graph.Secret.Wait'] && event.action === 'finished'),
  );
  out.push(...receiver.posted.all.map(({ text }) => text));
  return { daemon, planted, out, heard, workflows };
}

/** Echoes requests, and returns tokens. */
async function startWorld(t: Scope, planted: Planted, heard: string[]): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const you = { url: request.url, headers: request.headers, body };
    heard.push(JSON.stringify(you));
    response.setHeader('content-type', 'application/json');
    response.setHeader('set-cookie', [`sid=${planted.of('answered cookie')}; Path=/`]);
    response.setHeader('x-auth-token', planted.of('answered header'));
    response.statusCode = request.url === '/fail' ? 500 : 200;
    const text = `sent with Bearer ${planted.of('answered text')}`;
    response.end(JSON.stringify({ you, access_token: planted.of('answered token'), text }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns an error of a BMC that quotes the request. */
function quotes({ path, headers }: { path: string; headers: IncomingMessage['headers'] }, planted: Planted) {
  if (!path.includes('Actions/ComputerSystem.Reset')) return undefined;
  return rejection(400, `not with ${headers['x-auth-token']} and calvin-and-hobbes ${planted.of('kg')}`);
}

const rest = (label: string, more: object = {}) => ({ label, taskName: 'Task.Run.Rest.Command', ...more });
const graph = (name: string, tasks: object[]) => ({
  friendlyName: name,
  injectableName: `Graph.Secret.${name}`,
  tasks,
});

const graphsOf = (planted: Planted, services: string) => [
  graph('Rest', [
    rest('first', { optionOverrides: { url: services } }),
    rest('second', {
      waitOn: { first: 'succeeded' },
      optionOverrides: {
        url: `${services}/?token={{ env.apiToken }}`,
        headers: { 'x-api-key': planted.of('definition'), 'x-token': '{{ context.first.body.access_token }}' },
        body: 'kg={{ env.bmc.kg }} all={{ context.first.body }}',
        method: 'POST',
      },
    }),
  ]),
  graph('Child', [{ label: 'child', taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.Secret.Rest' } }]),
  graph('Fails', [rest('it')]),
  graph('Shell', [
    {
      label: 'run',
      taskName: 'Task.Shell.Command',
      optionOverrides: {
        command: '/bin/sh',
        args: [
          '-c',
          'echo "$USER_PWD $0"; echo "$USER_PWD $0 $1" >&2; exit 3',
          '{{ env.apiToken }}',
          '{{ env.repository }}',
        ],
      },
    },
  ]),
  graph('Commands', [{ label: 'run', taskName: 'Task.Linux.Commands' }]),
  graph('Wait', [
    { label: 'wait', taskName: 'Task.Wait.Notification' },
    rest('then', {
      waitOn: { wait: 'succeeded' },
      optionOverrides: { url: services, headers: { 'x-token': '{{ context.wait.token }}' } },
    }),
  ]),
];

const restOptions = (planted: Planted, services: string) => ({
  first: {
    url: `${services.replace('://', `://u:${planted.of('url password')}@`)}/?access_token=${planted.of('url token')}`,
    method: 'POST',
    headers: { authorization: `Bearer ${planted.of('bearer')}` },
    body: { data: [{ serial: planted.of('body') }] },
  },
});

const childOptions = (planted: Planted, services: string) => ({
  child: {
    graphOptions: {
      first: {
        url: services,
        method: 'POST',
        body: { serial: planted.of('child body') },
        headers: { cookie: planted.of('child') },
      },
    },
  },
});

const commandOptions = (planted: Planted) => ({
  run: {
    commands: [
      { command: `login --password=${planted.of('command')} {{ env.apiToken }}` },
      { command: 'show {{ env.bmc.kg }}', catalog: { source: 'printed', format: 'raw' } },
      { command: 'fail {{ env.apiToken }}' },
    ],
  },
});

const TEMPLATE = '<%= env.apiToken %> <%= node.config.ssh.pass %> <%= sku.discoveryGraphOptions.defaults.pwd %>';

async function putTemplate(daemon: DaemonProcess): Promise<void> {
  const { url, token } = await loggedIn(daemon, 'tester', 'correct-horse');
  const headers = { authorization: `JWT ${token}`, 'content-type': 'text/plain' };
  const { status } = await fetch(`${url}/api/current/templates/library/secrets`, {
    method: 'PUT',
    headers,
    body: TEMPLATE,
  });
  if (status !== 201) throw new Error(`PUT the template: ${status}`);
}

/** Logs in northbound and returns a client with the token. */
export async function loggedIn(daemon: DaemonProcess, username: string, password: string) {
  const line = daemon.log.findLast((text) => text.includes('"listening"')) ?? '';
  const endpoints = (JSON.parse(line) as { endpoints: { routers: string; port: number }[] }).endpoints;
  const port = endpoints.find(({ routers }) => routers === 'northbound-api-router')?.port;
  const url = `http://127.0.0.1:${port}`;
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/login`, { method: 'POST', headers, body: JSON.stringify({ username, password }) });
  return { url, token: ((await answer.json()) as { token: string }).token };
}

/** An agent that prints its commands. */
async function agentRun(daemon: DaemonProcess, node: string, heard: string[], workflow: string): Promise<void> {
  for (let n = 0; n < 3; n += 1) {
    const { status, body } = await daemon.southbound('GET', `/tasks/${node}?agent=a&wait=10`);
    if (status !== 200) throw new Error(`${workflow}: no command ${n}`);
    const { id, cmd } = body.tasks[0];
    heard.push(cmd);
    const exitCode = cmd.startsWith('fail') ? 1 : 0;
    const result = { id, exitCode, stdout: `out ${cmd}`, stderr: `err ${cmd}` };
    await daemon.southbound('POST', `/tasks/${node}`, { identifier: node, tasks: [result] });
  }
}

/** A node that posts a token and gets a template rendered with it. */
async function waiting(
  daemon: DaemonProcess,
  node: string,
  planted: Planted,
  heard: string[],
  workflow: string,
): Promise<void> {
  for (;;) {
    const { body } = await daemon.api('GET', `/workflows/${workflow}`);
    if (body.tasks[0].state === 'waiting') break;
    await setTimeout(LOOK_MS);
  }
  heard.push((await daemon.southbound('GET', `/templates/secrets?nodeId=${node}`)).body);
  await daemon.southbound('POST', `/notification?nodeId=${node}&token=${planted.of('notification')}`);
}
