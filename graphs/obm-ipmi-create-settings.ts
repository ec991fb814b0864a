/**
 * Graph.Obm.Ipmi.CreateSettings: gives the node an `ipmi-obm-service` with the address that its `bmc` catalog has, and
 * tests it. It changes nothing on the machine.
 *
 * - Options: `user`, `password`; `ipmichannel`: the catalog of that LAN channel; `port`.
 * - An obm that the node had of this service is replaced, and cannot be had back.
 * - A test that fails fails the workflow; the obm stays as it was written.
 * - Cancel, and crash: it was written or not; launching it again writes the same.
 */
import { defineGraph } from '../engine/define/index.ts';
import createSettings from '../tasks/obm-ipmi-create-settings.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.Obm.Ipmi.CreateSettings',
  friendlyName: 'Create IPMI OBM Settings',
  tasks: { 'create-ipmi-obm-settings': createSettings },
  options: { 'create-ipmi-obm-settings': { _taskTimeout: 300_000 } },
});

export default createMachine({
  id: 'Graph.Obm.Ipmi.CreateSettings',
  initial: 'creating',
  states: { creating: { invoke: { src: 'create-ipmi-obm-settings', onDone: 'created' } }, created: { type: 'final' } },
});
