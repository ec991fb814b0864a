/** The differences between a machine and its baseline. */
import test from 'ava';
import fc from 'fast-check';
import { baselineDifferences } from '../../../engine/vocabulary/baseline-differences.ts';

const names = ['BIOS', 'BMC', 'NIC', 'Disk'];
const version = fc.constantFrom('1.0', '2.0', '10.0');
const value = fc.oneof(fc.constantFrom('Uefi', 'Legacy'), fc.integer({ min: 0, max: 2 }), fc.boolean());
const attributes = fc.dictionary(fc.constantFrom('BootMode', 'Cores', 'Quiet'), value);
const components = fc.array(
  fc.record({ Id: fc.uuid(), Name: fc.constantFrom(...names), Version: fc.option(version, { nil: undefined }) }),
  { maxLength: 6 },
);
const goal = fc.record({
  firmware: fc.uniqueArray(fc.record({ component: fc.constantFrom(...names), version }), {
    selector: ({ component }) => component,
    maxLength: 1,
  }),
  bios: fc.dictionary(fc.constantFrom('BootMode', 'Cores'), value, { maxKeys: 1 }),
});

test('a machine that gets every expected value differs in nothing, and in no other part it changes', (t) => {
  const reached = { differs: 0, matches: 0 };
  fc.assert(
    fc.property(goal, components, attributes, (wanted, had, bios) => {
      const differences = baselineDifferences(wanted, { components: had, attributes: bios });
      reached[differences.length > 0 ? 'differs' : 'matches'] += 1;
      const of = (kind: string) =>
        new Map(differences.filter((one) => one.kind === kind).map((one) => [one.name, one]));
      const [firmware, settings] = [of('firmware'), of('bios')];
      const kept = had.map((one) => ({ ...one, Version: firmware.get(one.Name)?.expected ?? one.Version }));
      const added = [...firmware.values()]
        .filter(({ name }) => had.every((one) => one.Name !== name))
        .map(({ name, expected }) => ({ Id: 'new', Name: name, Version: expected }));
      const now = { ...bios, ...Object.fromEntries([...settings.values()].map((one) => [one.name, one.expected])) };
      t.deepEqual(baselineDifferences(wanted, { components: [...kept, ...added], attributes: now }), []);
      for (const { name, found, expected } of differences) t.not(found, expected, name);
    }),
  );
  t.log(reached);
  t.true(reached.differs > 10 && reached.matches > 2);
});

test('all components of a name have the version; a missing one, and a missing attribute, are found as null', (t) => {
  const wanted = { firmware: [{ component: 'NIC', version: '2' }], bios: { Quiet: true } };
  const nics = [
    { Id: 'a', Name: 'NIC', Version: '2' },
    { Id: 'b', Name: 'NIC', Version: '1' },
  ];
  const firmware = { kind: 'firmware', name: 'NIC', expected: '2' };
  const bios = { kind: 'bios', name: 'Quiet', expected: true };
  const found = (machine: object) => baselineDifferences(wanted, { components: [], attributes: {}, ...machine });
  t.deepEqual(found({ components: nics, attributes: { Quiet: true } }), [{ ...firmware, found: '1' }] as object[]);
  t.deepEqual(found({}), [
    { ...firmware, found: null },
    { ...bios, found: null },
  ] as object[]);
  // An attribute is compared with its type.
  t.deepEqual(found({ components: nics.slice(0, 1), attributes: { Quiet: 'true' } }), [
    { ...bios, found: 'true' },
  ] as object[]);
});

test("Dell's entries of versions before and after do not count", (t) => {
  const wanted = { firmware: [{ component: 'BIOS', version: '2' }], bios: {} };
  const components = [
    { Id: 'Previous-159-1', Name: 'BIOS', Version: '1' },
    { Id: 'Installed-159-2', Name: 'BIOS', Version: '2' },
    { Id: 'Available-159-3', Name: 'BIOS', Version: '3' },
  ];
  t.deepEqual(baselineDifferences(wanted, { components, attributes: {} }), []);
});
