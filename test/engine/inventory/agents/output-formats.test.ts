/** The output of tools, as catalogs. */
import test from 'ava';
import { type CatalogFormat, catalogFormats } from '../../../../engine/define/command.ts';
import { catalogOf } from '../../../../engine/inventory/agents/output-formats.ts';
import { cutText } from '../../../../engine/inventory/agents/untrusted-texts.ts';

const printed = `# dmidecode 3.4
SMBIOS 2.8 present.

Handle 0x0001, DMI type 1, 27 bytes
System Information
\tManufacturer: Example Computers
\tProduct Name: D-1
\tUUID: 5B59659F-7C01-1000-AD69-2C600C6F174D

Handle 0x0002, DMI type 0, 24 bytes
BIOS Information
\tVendor: Example
\tCharacteristics:
\t\tPCI is supported
\t\t8042 keyboard services are supported (int 9h)
\tBIOS Revision: 5.6

Handle 0x0011, DMI type 17, 40 bytes
Memory Device
\tSize: 8 GB
\tLocator: A1

Handle 0x0012, DMI type 17, 40 bytes
Memory Device
\tSize: No Module Installed
\tLocator: A2

Handle 0x7F, DMI type 127, 4 bytes
End Of Table
`;

test('dmi: blocks by their titles, several with one title as a list, lists below a key', (t) => {
  t.deepEqual(catalogOf('dmi', printed), {
    'System Information': {
      Manufacturer: 'Example Computers',
      'Product Name': 'D-1',
      UUID: '5B59659F-7C01-1000-AD69-2C600C6F174D',
    },
    'BIOS Information': {
      Vendor: 'Example',
      Characteristics: ['PCI is supported', '8042 keyboard services are supported (int 9h)'],
      'BIOS Revision': '5.6',
    },
    'Memory Device': [
      { Size: '8 GB', Locator: 'A1' },
      { Size: 'No Module Installed', Locator: 'A2' },
    ],
    'End Of Table': {},
  });
});

test('pairs: the output of ipmitool, with continued lines and indented lines', (t) => {
  const text = [
    'Auth Type Enable        : Callback : MD2 MD5',
    '                        : User     : MD5',
    'IP Address              : 10.1.1.9',
    'MAC Address             : 2c:60:0c:83:f5:d0',
    'Additional Device Support :',
    '    Sensor Device',
    '    SEL Device',
  ].join('\n');
  t.deepEqual(catalogOf('pairs', text), {
    'Auth Type Enable': ['Callback : MD2 MD5', 'User     : MD5'],
    'IP Address': '10.1.1.9',
    'MAC Address': '2c:60:0c:83:f5:d0',
    'Additional Device Support': ['Sensor Device', 'SEL Device'],
  });
});

test('paths: objects and lists of the values at each path; := is JSON', (t) => {
  const text = 'a.b=1=2\na.n:=32\nlist.0.x=p\nlist.1.x=q\nsparse.1=x\n';
  const data = { a: { b: '1=2', n: 32 }, list: [{ x: 'p' }, { x: 'q' }], sparse: { 1: 'x' } };
  t.deepEqual(catalogOf('paths', text), data);
  t.deepEqual(catalogOf('paths', '=\n') as unknown, []);
});

test('ami and flashupdt: the versions that they print, keyed as by RackHD', (t) => {
  const rom =
    'Reading flash ... done\n- System ROM ID = S2RS4A08\n- System ROM GUID = b5c59087\n- System ROM Secure Flash = Disable.';
  t.deepEqual(catalogOf('ami', rom), {
    systemRomId: 'S2RS4A08',
    systemRomGuid: 'b5c59087',
    systemRomSecureFlash: 'Disable.',
  });
  const versions = [
    'One Boot Flash Update Utility Version 13.1 Build 5',
    'BIOS Version Information:',
    '-------------------------',
    '   BIOS Version:...... S1200BT.86B.02.00.0035',
    '',
    'ME Firmware Version:.. 02.02.00.036',
    'Baseboard Information:',
    '----------------------',
    '   Base Board ID:..... S1200BTL',
    '   Asset Tag Name:....',
    'Successfully Completed',
  ];
  t.deepEqual(catalogOf('flashupdt', versions.join('\n')), {
    'BIOS Version Information': { 'BIOS Version': 'S1200BT.86B.02.00.0035' },
    'ME Firmware Version': '02.02.00.036',
    'Baseboard Information': { 'Base Board ID': 'S1200BTL', 'Asset Tag Name': '' },
  });
});

test('json: an object or a list; a list of one object is that object', (t) => {
  t.deepEqual(catalogOf('json', '[{"id":"vm"}]'), { id: 'vm' });
  t.deepEqual(catalogOf('json', '[1,2]') as unknown, [1, 2]);
  t.deepEqual(catalogOf('json', '{"a\\u0000":"\\u0000b\\ud800"}'), { a: 'b\uFFFD' });
  t.deepEqual(catalogOf('raw', 'a\0b'), { raw: 'ab' });
});

test('output that does not fit its format is rejected', (t) => {
  for (const text of ['', 'x', '5', '"x"', 'null']) t.throws(() => catalogOf('json', text), { code: 'INVALID' });
  for (const format of ['dmi', 'pairs', 'paths', 'ami', 'flashupdt'] as const)
    t.throws(() => catalogOf(format, ''), { code: 'INVALID' });
  for (const text of ['no path', '=x', 'a:=x']) t.throws(() => catalogOf('paths', text), { code: 'INVALID' });
  const deep = `${'['.repeat(70)}${']'.repeat(70)}`;
  t.throws(() => catalogOf('json', deep), { message: /nested too deep/ });
});

test('output that would take minutes to parse is rejected, and blocks with one title are a list', (t) => {
  const hostile: [CatalogFormat, string][] = [
    ['dmi', 'Handle 0x1\nA\n\n'.repeat(300_000)],
    ['dmi', `Handle 0x1\nA\n${Array.from({ length: 2_800 }, (_, depth) => `${' '.repeat(depth)}k:\n`).join('')}`],
    ['paths', `${'a.'.repeat(2_000_000)}a=1`],
    ['paths', `${'a.'.repeat(1_000)}a=1\n`.repeat(2_000)],
    ['json', `[${'1,'.repeat(2_000_000)}1]`],
    ['json', `{${Array.from({ length: 20_001 }, (_, n) => `"${n}":1`).join()}}`],
  ];
  for (const [format, text] of hostile) t.throws(() => catalogOf(format, text), { code: 'INVALID' });
  const { A: blocks } = catalogOf('dmi', 'Handle 0x1\nA\n\n'.repeat(16_000)) as { A: unknown[] };
  t.is(blocks.length, 16_000);
});

test('a key that is also a property of every object is an ordinary key in every format', (t) => {
  const texts: Partial<Record<CatalogFormat, string>> = {
    json: '{"__proto__":{"a":1}}',
    pairs: '__proto__ : x',
    paths: '__proto__.a=1',
    flashupdt: 'BIOS Version Information:\n__proto__:.. x',
  };
  const withFixedKeys = ['raw', 'dmi', 'ami'];
  t.deepEqual([...Object.keys(texts), ...withFixedKeys].sort(), [...catalogFormats].sort());
  for (const [format, text] of Object.entries(texts)) {
    const data = catalogOf(format as CatalogFormat, text);
    t.is(Object.keys(data).at(-1), '__proto__', format);
    t.is(Object.getPrototypeOf(data), Object.prototype);
  }
});

test('a truncated text states how much is missing, in bytes', (t) => {
  t.is(cutText('abc', 3), 'abc');
  t.is(cutText('aéb', 1), 'a\n[cut: 3 bytes more]');
  t.is(cutText('a', 5, 9), 'a\n[cut: 8 bytes more]');
});
