/**
 * Graph.Dell.Configure.Redfish.Alerting: configures a Dell node's iDRAC to send its Redfish alerts to this service.
 *
 * - Options: `redfish-subscribtion` (RackHD's spelling) with `url`, `credential`, `data`; all of them have defaults for
 *   a node with a `redfish-obm-service`. `url` and `credential` apply to every step.
 * - Cancel and crash: settings made on the iDRAC remain; a new launch makes the others, and leaves one subscription.
 *
 * Documentation: docs/operate/alerts.md.
 */
import { defineGraph, MINUTE_MS } from 'nodewright/define';
import { auditInformation } from '../engine/hardware/redfish/idrac-alerts.ts';
import { serviceOptions } from '../engine/hardware/redfish/service.ts';
import alerts from '../tasks/dell-enable-alerts.ts';
import filters from '../tasks/dell-event-filters.ts';
import subscribe from '../tasks/redfish-alert-subscribe.ts';

const LABEL = 'redfish-subscribtion';
/** An iDRAC may reject requests for a minute or two while it applies settings. All tasks here may be repeated. */
const BUSY = { attempts: 6, delayMs: 5_000 };
const INFO = [...auditInformation];

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Dell.Configure.Redfish.Alerting',
    friendlyName: 'Configure Dell Redfish Alerting',
    tasks: {
      'enable-alerts': { task: alerts, retry: BUSY, timeoutMs: 5 * MINUTE_MS },
      'enable-redfish-alerts': { task: filters, timeoutMs: 30 * MINUTE_MS },
      'disable-info-alerts': { task: filters, timeoutMs: 30 * MINUTE_MS },
      [LABEL]: { task: subscribe, retry: BUSY, timeoutMs: 5 * MINUTE_MS },
    },
    options: {
      'enable-redfish-alerts': { setting: 'Enabled', except: INFO },
      'disable-info-alerts': { setting: 'Disabled', only: INFO },
    },
  },
  {} as { context: Access },
);

type Access = { service: Record<string, unknown> };

const service = ({ context }: { context: Access }) => context.service;

export default createMachine({
  id: 'Graph.Dell.Configure.Redfish.Alerting',
  // All steps use the iDRAC of the subscription.
  context: ({ input }) => {
    const given = Object.entries((input?.options[LABEL] ?? {}) as Record<string, unknown>);
    return { service: Object.fromEntries(given.filter(([key]) => Object.hasOwn(serviceOptions, key))) };
  },
  initial: 'enablingAlerts',
  states: {
    enablingAlerts: { invoke: { src: 'enable-alerts', input: service, onDone: 'enablingRedfishAlerts' } },
    enablingRedfishAlerts: { invoke: { src: 'enable-redfish-alerts', input: service, onDone: 'disablingInfoAlerts' } },
    disablingInfoAlerts: { invoke: { src: 'disable-info-alerts', input: service, onDone: 'subscribing' } },
    subscribing: { invoke: { src: LABEL, onDone: 'subscribed' } },
    subscribed: { type: 'final' },
  },
});
