/**
 * Graph.Obm.Ipmi.CreateSettings: creates the node's `ipmi-obm-service` with the address in its `bmc` catalog, and tests
 * it. It changes nothing on the node.
 *
 * - Options: `user`, `password`; `ipmichannel`: selects the catalog of that LAN channel; `port`.
 * - Irreversible: an existing obm of this service is replaced.
 * - A failed test fails the workflow; the obm is kept.
 * - Cancel and crash: the obm is written or not; a new launch writes the same.
 */
import { defineGraph } from 'nodewright/define';
import createSettings from '../tasks/obm-ipmi-create-settings.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.Obm.Ipmi.CreateSettings',
  friendlyName: 'Create IPMI OBM Settings',
  tasks: { 'create-ipmi-obm-settings': { task: createSettings, timeoutMs: 300_000 } },
});

export default createMachine({
  id: 'Graph.Obm.Ipmi.CreateSettings',
  initial: 'creating',
  states: { creating: { invoke: { src: 'create-ipmi-obm-settings', onDone: 'created' } }, created: { type: 'final' } },
});
