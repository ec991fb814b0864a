/**
 * Every driver against the same rules. A service without a driver, or a driver without a test bench, does not compile.
 */
import test, { type TestFn } from 'ava';
import { type ObmService, obmServices } from '../../../../engine/define/node.ts';
import { ObmDrivers } from '../../../../engine/hardware/obm/obm-drivers.ts';
import { type OpenBench, obmConformance } from '../../../conformance/obm.ts';
import { needing } from '../../../support/ava/needs.ts';
import { notRotating, openDriver } from '../../../support/bmcs/drivers.ts';
import { freePort, noIpmiSim, startIpmiSim } from '../../../support/bmcs/ipmi-sim.ts';
import { startPdu } from '../../../support/bmcs/pdu.ts';
import { startRedfish } from '../../../support/bmcs/redfish.ts';
import { startRedfishPdu } from '../../../support/bmcs/redfish-pdu.ts';
import { freeUdpPort } from '../../../support/servers/free-udp-port.ts';

interface Suite {
  test: Pick<TestFn, 'serial'>;
  open: OpenBench;
  hasMachine: boolean;
  lacks?: readonly string[];
}

/** The functions that outlets lack. */
const bmcOnly = ['soft', 'clear log', 'reset bmc', 'boot once', 'boot always', 'light on', 'light off'];

/** An outlet where no PDU answers. */
const nowhere = async () => ({ host: '127.0.0.1', port: await freeUdpPort(), outlet: 1 });

const suites = {
  'ipmi-obm-service': {
    test: needing(noIpmiSim),
    hasMachine: true,
    async open(t) {
      const sim = await startIpmiSim(t);
      return {
        driver: openDriver('ipmi-obm-service', sim.config, { timeoutMs: 4_000 }),
        ledger: () => sim.ledger.filter((line) => /^(power|reset|shutdown)/.test(line)),
        mute: () => sim.hold(),
        nowhere: async () =>
          openDriver('ipmi-obm-service', { ...sim.config, port: await freePort() }, { timeoutMs: 4_000 }),
      };
    },
  },
  'redfish-obm-service': {
    test,
    hasMachine: true,
    async open(t) {
      const bmc = await startRedfish(t);
      return {
        driver: openDriver('redfish-obm-service', bmc.config, { timeoutMs: 3_000 }),
        ledger: () => bmc.done.all.filter((done) => /^(reset|clear)/.test(done)),
        mute: () => {
          bmc.silent = /Reset$/;
        },
        nowhere: async () => openDriver('redfish-obm-service', { ...bmc.config, uri: 'http://127.0.0.1:1' }),
      };
    },
  },
  'pdu-obm-service': {
    test,
    hasMachine: true,
    lacks: ['reset', ...bmcOnly],
    async open(t) {
      const pdu = await startPdu(t);
      return {
        driver: openDriver('pdu-obm-service', pdu.config),
        ledger: () => pdu.ledger,
        mute: () => {
          pdu.isMute = true;
        },
        nowhere: async () => openDriver('pdu-obm-service', { ...pdu.config, outlets: [await nowhere()] }),
      };
    },
  },
  'redfish-pdu-obm-service': {
    test,
    hasMachine: true,
    lacks: bmcOnly,
    async open(t) {
      const pdu = await startRedfishPdu(t);
      const outlets = [{ host: '127.0.0.1', port: 1, outlet: 1 }];
      return {
        driver: openDriver('redfish-pdu-obm-service', pdu.config, { timeoutMs: 3_000 }),
        ledger: () => pdu.ledger,
        mute: () => {
          pdu.fault = 'mute';
        },
        nowhere: async () => openDriver('redfish-pdu-obm-service', { ...pdu.config, outlets }),
      };
    },
  },
  'noop-obm-service': {
    test,
    hasMachine: false,
    open: async () => ({ driver: openDriver('noop-obm-service', {}), ledger: () => [] }),
  },
} satisfies Record<ObmService, Suite>;

for (const service of obmServices) {
  const { test: run, open, hasMachine, lacks = [] }: Suite = suites[service];
  obmConformance(run, service, open, { hasMachine, lacks });
}

test('an obm of a service without a driver is rejected, and nothing is sent to its host', async (t) => {
  const bmc = await startRedfish(t);
  const obms = new ObmDrivers(
    {
      obms: { config: async () => bmc.config, services: async () => ['amt-obm-service'], rotatingObms: notRotating },
      ibms: { config: async () => undefined },
      power: { note: async () => {} },
      lookups: { addressOf: async () => undefined },
    },
    { concurrency: 2, failures: 3, backoffMs: 1_000, timeoutMs: 1_000, cipherSuite: 3 },
    (error) => t.fail(String(error)),
  );
  t.teardown(() => obms.close());
  await t.throwsAsync(obms.of('n', 'amt-obm-service'), {
    code: 'OBM_INVALID',
    message: /amt-obm-service; expected ipmi/,
  });
  await t.throwsAsync(obms.of('n'), { code: 'OBM_MISSING' });
  t.deepEqual(bmc.asked, []);
});
