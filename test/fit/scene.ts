/** A daemon with the machines, catalogs and users that RackHD's tests look for. */

import type { Scope } from '../support/ava/scope.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { startRabbitMq } from '../support/servers/rabbitmq.ts';
import { freePort } from '../support/servers/server.ts';
import type { Ports } from './checkout.ts';

export interface FitScene {
  ports: Ports;
  amqp: string;
  daemon: DaemonProcess;
}

export async function fitScene(scope: Scope): Promise<FitScene> {
  const rabbitmq = await startRabbitMq();
  scope.teardown(() => rabbitmq.stop());
  const ports = { http: await freePort(), https: await freePort() };
  const northbound = { address: '127.0.0.1', routers: 'northbound-api-router' } as const;
  const daemon = await startDaemonProcess(scope, {
    env: { AMQP_URL: rabbitmq.url },
    config: {
      httpEndpoints: [
        { ...northbound, port: ports.https, authEnabled: true, httpsEnabled: true },
        { address: '127.0.0.1', port: 0, authEnabled: false, routers: 'southbound-api-router' },
        // The tests expect it without log-in, as RackHD's port 8080.
        { ...northbound, port: ports.http, authEnabled: false },
      ],
    },
  });
  await furnish(daemon);
  return { ports, amqp: rabbitmq.url, daemon };
}

async function furnish({ api }: DaemonProcess): Promise<void> {
  const sent = async (method: string, path: string, body: object) => {
    const answer = await api(method, path, body);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  await sent('POST', '/users', { username: 'admin', password: 'admin123', role: 'Administrator' });
  await sent('POST', '/skus', {
    name: 'R630',
    rules: [{ path: 'dmi.System Information.Product Name', contains: 'R630' }],
  });
  const compute: string[] = [];
  for (const n of [1, 2]) {
    const { id } = await sent('POST', '/nodes', {
      type: 'compute',
      name: `compute${n}`,
      identifiers: [`02:00:00:00:01:0${n}`],
    });
    compute.push(id);
    const [mac, ip] = [`02:00:00:00:02:0${n}`, `127.0.0.${10 + n}`];
    for (const [source, data] of Object.entries(catalogs(mac, ip, n)))
      await sent('POST', `/nodes/${id}/catalogs`, { source, data });
    await sent('POST', '/lookups', { macAddress: mac, ipAddress: ip, node: id });
    await sent('PUT', '/obms', {
      nodeId: id,
      service: 'ipmi-obm-service',
      config: { host: mac, user: 'admin', password: 'admin' },
    });
    await sent('POST', '/pollers', {
      type: 'ipmi',
      node: id,
      pollInterval: 60_000,
      paused: true,
      config: { command: 'sel' },
    });
    await sent('POST', `/nodes/${id}/workflows`, { name: 'Graph.noop-example' });
  }
  await sent('POST', '/nodes', {
    type: 'enclosure',
    name: 'enclosure',
    relations: [{ relationType: 'encloses', targets: compute }],
  });
  await sent('POST', '/nodes', { type: 'switch', name: 'switch', identifiers: ['02:00:00:00:03:01'] });
  await sent('POST', '/nodes', { type: 'pdu', name: 'pdu' });
}

const catalogs = (mac: string, ip: string, n: number): Record<string, unknown> => ({
  dmi: {
    'System Information': { Manufacturer: 'Dell Inc.', 'Product Name': 'PowerEdge R630', 'Serial Number': `SN${n}` },
    'Base Board Information': { 'Serial Number': `BSN${n}` },
  },
  ohai: { dmi: { system: { manufacturer: 'Dell', product_name: 'R630' } } },
  bmc: { 'MAC Address': mac, 'IP Address': ip },
  lspci: [{ slot: 1 }],
  lshw: { id: n },
  smart: [{ SMART: 1 }],
  driveId: [{ identifier: 0 }],
  'ipmi-fru': { 'Builtin FRU Device (ID 0)': { 'Board Serial': `B${n}` } },
});
