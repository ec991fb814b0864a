/** A baseline as lines of the form, and the lines as the body of a request. */
import test from 'ava';
import fc from 'fast-check';
import {
  componentLines,
  emptyComponent,
  emptySetting,
  enteredContent,
  settingLines,
} from '../../api/console/pages/baselines/edited-baseline.ts';
import { deviceLines, emptyDevice, enteredDevices } from '../../api/console/pages/baselines/edited-devices.ts';

test('a component has the URL of its image, or the name of its file', (t) => {
  const line = { ...emptyComponent(), component: 'BMC', version: '7.1' };
  const { firmware } = enteredContent(
    [
      line,
      { ...line, source: 'https://10.1.1.1/bmc.bin' },
      { ...line, component: ' BMC ', source: 'bmc.bin ', applyTime: 'OnReset' },
    ],
    [],
  );
  t.deepEqual(firmware, [
    { component: 'BMC', version: '7.1' },
    { component: 'BMC', version: '7.1', image: 'https://10.1.1.1/bmc.bin' },
    { component: 'BMC', version: '7.1', file: 'bmc.bin', applyTime: 'OnReset' },
  ]);
});

test('a device in band has its other options as JSON, and is saved as it was', (t) => {
  const sha256 = 'a'.repeat(64);
  const drive = { kind: 'nvme' as const, model: 'ACME Flash 3*', version: 'F2', file: 'f2.bin', sha256, slot: 2 };
  const { slot: _, ...plain } = drive;
  const vendors = { versionCommand: 'dmidecode -s bios-version', args: ['-q'] };
  const devices = [drive, plain, { ...plain, kind: 'package' as const, package: vendors }];
  t.deepEqual(enteredDevices(deviceLines(devices)), devices);
  t.is(deviceLines(devices)[0]?.more, '{"slot":2}');
  t.deepEqual(enteredDevices([emptyDevice()]), []);
  const line = { ...emptyDevice(), model: ' F ' };
  t.like(enteredDevices([line])[0], { model: 'F', version: '' });
  // The fields count.
  t.is(enteredDevices([{ ...line, more: '{"model":"G"}' }])[0]?.model, 'F');
  for (const more of ['[1]', '{', '2']) t.throws(() => enteredDevices([{ ...line, more }]), { message: /of device 1/ });
});

const setting = (name: string, value: string) => ({ ...emptySetting(), name, value });

test('a value that looks like a number is one, unless it is quoted', (t) => {
  const lines = ['Uefi', '4', '"4"', 'true', '[1]', ''].map((value, at) => setting(`A${at}`, value));
  t.deepEqual(enteredContent([], lines).bios, { A0: 'Uefi', A1: 4, A2: '4', A3: true, A4: '[1]', A5: '' });
});

test('only empty lines are left out, and an attribute has one line', (t) => {
  const version = { ...emptyComponent(), version: '7.1' };
  const { firmware, bios } = enteredContent([emptyComponent(), version], [emptySetting(), setting('', 'Uefi')]);
  t.deepEqual(firmware, [{ component: '', version: '7.1' }]);
  t.deepEqual(bios, { '': 'Uefi' });
  t.throws(() => enteredContent([], [setting('A', '1'), setting('A ', '2')]), { message: /two lines/ });
});

test('a baseline that is only looked at is saved as it was', (t) => {
  const settings = fc.dictionary(
    fc.stringMatching(/^[A-Z][a-z]{0,5}$/),
    fc.oneof(fc.string(), fc.integer(), fc.boolean()),
  );
  const component = fc.record(
    {
      component: fc.stringMatching(/^[A-Z]{1,5}$/),
      version: fc.stringMatching(/^[0-9.]{1,8}$/),
      file: fc.stringMatching(/^[a-z]{1,8}\.bin$/),
      sha256: fc.constant('a'.repeat(64)),
      applyTime: fc.constantFrom('Immediate' as const, 'OnReset' as const),
    },
    { requiredKeys: ['component', 'version'] },
  );
  const property = fc.property(settings, fc.array(component), (bios, firmware) => {
    t.deepEqual(enteredContent(componentLines(firmware as never), settingLines(bios)), { firmware, bios } as never);
  });
  fc.assert(property);
});
