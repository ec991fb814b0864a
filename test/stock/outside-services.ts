/** Services outside of the daemon and the twin that graphs of RackHD use: a Docker host, and its service for switches. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Scope } from '../support/ava/scope.ts';
import { startSwitchAgent } from '../support/servers/switch-agent.ts';

export interface OutsideServices {
  port: number;
  url: string;
  /** The settings of an SNMP agent. */
  switch: { host: string; port: number; community: string };
  /** The changes that were asked for, each such as `service: POST /containers/NAME/stop`. */
  changes: readonly string[];
}

const SWITCH_ANSWERS: Readonly<Record<string, object>> = {
  '/login': { token: 'a-token' },
  '/switchConfig': { config: '!Command: show running-config\nhostname leaf1\n' },
  '/switchVersion': { version: '7.0(3)I4(4)', rpm: '' },
  '/updateSwitch': {},
};

export async function startOutsideServices(scope: Scope): Promise<OutsideServices> {
  const changes: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    const answer = SWITCH_ANSWERS[url];
    if (answer !== undefined) {
      const user = await userIn(request);
      if (url === '/updateSwitch') changes.push(`service: ${method} ${url} for ${user}`);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      return;
    }
    if (method !== 'GET') changes.push(`service: ${method} ${decodeURIComponent(url)}`);
    const isCreated = url.startsWith('/containers/create');
    response.statusCode = isCreated ? 201 : method === 'GET' || url.startsWith('/images/') ? 200 : 204;
    response.end(isCreated ? '{"Id":"c1"}' : method === 'GET' ? '[]' : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, switch: await startSwitchAgent(scope), changes };
}

/** The user of the switch. */
async function userIn(request: IncomingMessage): Promise<string> {
  const body = (await json(request)) as { endpoint?: { username?: string } };
  return body.endpoint?.username ?? '';
}
