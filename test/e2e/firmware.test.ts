/** A firmware update through the real daemon that is killed in the middle: the BMC gets one. */
import anyTest from 'ava';
import { Maintained } from '../support/bmcs/maintenance-service.ts';
import { startRedfish } from '../support/bmcs/redfish.ts';
import { ended } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';

anyTest('a daemon that dies after it has sent an update follows it afterwards, and sends no other', async (t) => {
  const own = new Maintained();
  const bmc = await startRedfish(t, own.options());
  const daemon = await startDaemonProcess(t);
  const node = (await daemon.api('POST', '/nodes', { type: 'compute', name: 'one' })).body.id;
  await daemon.api('PUT', `/nodes/${node}/obm`, { service: 'redfish-obm-service', config: bmc.config });
  // The BMC takes the command, and the daemon never gets the answer.
  bmc.silent = /SimpleUpdate/;
  const options = { update: { image: 'http://10.1.1.1/bios.bin', targets: ['BIOS'], version: '2.0', lookEveryMs: 10 } };
  const path = `/nodes/${node}/workflows?name=Graph.Firmware.Update`;
  const { body: launched } = await daemon.api('POST', path, { options });
  await own.done.until(({ length }) => length === 1);
  await daemon.kill('SIGKILL');
  bmc.silent = undefined;
  await daemon.start();
  const workflow = await ended(daemon, launched.id);
  t.is(workflow.status, 'succeeded', JSON.stringify(workflow));
  t.deepEqual(own.done.all, ['update BIOS http://10.1.1.1/bios.bin']);
  t.is(own.versions.BIOS, '2.0');
  t.deepEqual(bmc.done.all, []);
});
