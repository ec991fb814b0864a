/**
 * The driver of each obm service. A service without a driver does not compile, so each config reaches its own driver.
 */
import type { ObmService } from '../../define/node.ts';
import type { OpenDriver } from './driver.ts';
import { openIpmi } from './ipmi.ts';
import { noopObm } from './noop-driver.ts';
import { openPdu } from './pdu.ts';
import { openRedfish } from './redfish.ts';
import { openRedfishPdu } from './redfish-pdu.ts';

export const drivers = {
  'ipmi-obm-service': openIpmi,
  'redfish-obm-service': openRedfish,
  'pdu-obm-service': openPdu,
  'redfish-pdu-obm-service': openRedfishPdu,
  'noop-obm-service': () => noopObm,
} satisfies Record<ObmService, OpenDriver>;
