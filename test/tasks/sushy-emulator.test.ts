/** Virtual media, BIOS and firmware on the emulator of another project. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { needing } from '../support/ava/needs.ts';
import { noLibvirt, noSushyEmulator, startSushyEmulator } from '../support/bmcs/sushy-emulator.ts';
import { openEngine } from '../support/engine/engine.ts';

const test = needing(noSushyEmulator, 'checkers');

test.serial('a machine of sushy-tools boots from an image that its BMC fetched, and loses it again', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const fetched: string[] = [];
  const images = createServer((request, response) => {
    fetched.push(request.url ?? '');
    response.end('an image');
  }).listen(0, '127.0.0.1');
  await once(images, 'listening');
  t.teardown(() => images.close());
  const image = `http://127.0.0.1:${(images.address() as AddressInfo).port}/installer.iso`;
  const machine = await startSushyEmulator(t);
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: 'redfish-obm-service', config: machine.config });
  const run = async (graph: string, options: Record<string, unknown>) =>
    it.finished((await it.launch(graph, options, node)).id);

  const booted = await run('Graph.VirtualMedia.Boot', { insert: { image } });
  t.is(booted.status, 'succeeded', JSON.stringify(booted.error));
  t.true(fetched.includes('/installer.iso'));
  const system = await machine.get('');
  t.is(system.PowerState, 'On');
  t.is((system.Boot as Record<string, unknown>).BootSourceOverrideTarget, 'Cd');
  t.is((await machine.get('/VirtualMedia/Cd')).Inserted, true);
  t.is((await run('Graph.VirtualMedia.Eject', {})).status, 'succeeded');
  t.is((await machine.get('/VirtualMedia/Cd')).Inserted, false);
});

needing(noLibvirt, 'checkers').serial('a machine of sushy-tools gets another BIOS and other attributes', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const machine = await startSushyEmulator(t, 'libvirt');
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: 'redfish-obm-service', config: machine.config });
  const run = async (graph: string, options: Record<string, unknown>) =>
    it.finished((await it.launch(graph, options, node)).id);

  const { BiosVersion: before } = await machine.get('');
  t.is(before, '1.0.0');
  const update = { image: 'http://127.0.0.1/bios.bin', targets: [machine.system], version: '1.1.0' };
  const updated = await run('Graph.Firmware.Update', { update });
  t.is(updated.status, 'succeeded', JSON.stringify(updated.error));
  t.is((await machine.get('')).BiosVersion, '1.1.0');
  // It has the version already: nothing is sent.
  t.is((await run('Graph.Firmware.Update', { update })).status, 'succeeded');
  t.is((await machine.get('')).BiosVersion, '1.1.0');

  const attributes = { BootMode: 'Legacy', QuietBoot: 'false' };
  const configured = await run('Graph.Bios.Configure', { configure: { attributes } });
  t.is(configured.status, 'succeeded', JSON.stringify(configured.error));
  t.like((await machine.get('/BIOS')).Attributes as object, attributes);
  const wrong = await run('Graph.Bios.Configure', { configure: { attributes: { BootMod: 'Legacy' } } });
  t.is(wrong.error?.code, 'BIOS_REJECTED');
});
