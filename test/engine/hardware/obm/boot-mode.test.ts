/** The boot mode of a machine: of the task, else of its obm. */
import test from 'ava';
import { bootArguments } from '../../../../engine/hardware/obm/ipmi.ts';
import { bootModeOf, configViolations } from '../../../../engine/hardware/obm/obm-settings.ts';
import { shownConfig } from '../../../../engine/hardware/obm/shown-config.ts';

test('IPMI asks for UEFI if the task says so, or the obm where the task does not', (t) => {
  const pxe = ['chassis', 'bootdev', 'pxe'];
  for (const [order, obm, expected] of [
    [{}, {}, pxe],
    [{ uefi: true }, {}, [...pxe, 'options=efiboot']],
    [{}, { uefi: true }, [...pxe, 'options=efiboot']],
    [{ uefi: undefined, persistent: true }, { uefi: true }, [...pxe, 'options=persistent,efiboot']],
    [{ uefi: false }, { uefi: true }, pxe],
    [{}, { uefi: false }, pxe],
  ] as const)
    t.deepEqual(bootArguments({ device: 'pxe', ...order }, bootModeOf(obm)), expected);
});

test('the boot mode of an obm is a shown part of its config', (t) => {
  const config = { host: '10.1.1.1', user: 'root', password: 'calvin', uefi: true };
  for (const service of ['ipmi-obm-service', 'redfish-obm-service'] as const) {
    t.deepEqual(configViolations(service, config), []);
    t.is(configViolations(service, { ...config, uefi: 'yes' })[0]?.path, 'uefi');
    t.is(shownConfig(service, config).uefi, true);
  }
});
