/**
 * Graph.Redfish.Alert.Subscribe: subscribes this service to the Redfish alerts of the node's BMC.
 *
 * - Options: `redfish-subscribtion` (RackHD's spelling) with `url`, `credential`, `data`; all of them have defaults for
 *   a node with a `redfish-obm-service`.
 * - A BMC that is busy, for example after a reset, is asked again for two minutes.
 * - Cancel and crash: the BMC has the subscription or not; a new launch leaves one.
 */
import { defineGraph } from 'nodewright/define';
import subscribe from '../tasks/redfish-alert-subscribe.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.Redfish.Alert.Subscribe',
  friendlyName: 'Subscribe to Redfish alerts',
  tasks: { 'redfish-subscribtion': { task: subscribe, retry: { attempts: 6, delayMs: 5_000 }, timeoutMs: 300_000 } },
});

export default createMachine({
  id: 'Graph.Redfish.Alert.Subscribe',
  initial: 'subscribing',
  states: {
    subscribing: { invoke: { src: 'redfish-subscribtion', onDone: 'subscribed' } },
    subscribed: { type: 'final' },
  },
});
