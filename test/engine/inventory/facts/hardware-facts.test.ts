/** The facts in catalogs: those of real machines and tools, and those of nodes that send nonsense. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import type { HardwareFacts } from '../../../../engine/api-port/hardware.ts';
import { catalogFacts, factSources, mergedFacts } from '../../../../engine/inventory/facts/hardware-facts.ts';

const GIB = 1_024 ** 3;

function factsOf(catalogs: Record<string, unknown>): HardwareFacts {
  const facts = Object.entries(catalogs).map(([source, data]) => [source, catalogFacts(source, data)] as const);
  return mergedFacts(new Map(facts.flatMap(([source, one]) => (one ? [[source, one]] : []))));
}

const recorded = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../fixtures/catalogs/${name}.json`, import.meta.url), 'utf8'));

test('a Dell by dmidecode and the FRU', (t) => {
  t.like(factsOf(recorded('dell-r730')), {
    vendor: 'Dell Inc.',
    model: 'PowerEdge R730',
    serial: 'JN3QX52',
    memoryBytes: 32 * GIB,
  });
});

test('a Quanta by ohai, as an agent of RackHD sends it', (t) => {
  t.like(factsOf(recorded('quanta-d51-1u')), {
    model: 'QuantaPlex D51B-1U (dual 1G LoM)',
    serial: 'QTFCJ05160007',
    bios: { version: 'S2B_3A19', date: null },
    processors: { model: 'Intel(R) Xeon(R) CPU E5-2630 v3 @ 2.40GHz', count: 2 },
    bmc: { address: '172.31.128.16', mac: '2c:60:0c:83:f5:d0' },
  });
});

test('sockets and slots that are empty do not count, and placeholders of firmware are no facts', (t) => {
  const dmi = {
    'System Information': { Manufacturer: 'To Be Filled By O.E.M.', 'Product Name': 'X11', 'Serial Number': '0' },
    'Processor Information': [
      { Version: 'AMD EPYC 7543', 'Core Count': '32' },
      { Version: 'Not Specified', Status: 'Unpopulated' },
    ],
    'Memory Device': [{ Size: '64 GB' }, { Size: 'No Module Installed' }, { Size: '64 GB' }],
  };
  t.like(factsOf({ dmi }), {
    vendor: null,
    model: 'X11',
    serial: null,
    processors: { model: 'AMD EPYC 7543', count: 1, cores: 32 },
    memoryBytes: 128 * GIB,
  });
  const fru = { 'Builtin FRU Device (ID 0)': { 'Product Manufacturer': 'Supermicro', 'Product Serial': 'S1' } };
  t.like(factsOf({ dmi, 'ipmi-fru': fru }), { vendor: 'Supermicro', model: 'X11', serial: 'S1' });
});

test('drives of the operating system get the health of smartctl; those that only the BMC sees are added', (t) => {
  const { drives } = factsOf({
    driveId: [{ devName: 'sda', model: 'PM883', serial: 'S4YX', sizeBytes: 960_197_124_096 }, { devName: 'nvme0n1' }],
    smart: {
      sda: { smart_status: { passed: false }, rotation_rate: 0, endurance_used: { current_percent: 12 } },
      nvme0n1: {
        serial_number: 'PHLJ',
        smart_status: { passed: true },
        nvme_smart_health_information_log: { percentage_used: 3 },
      },
    },
    'redfish-system': {
      Storage: [
        {
          Drives: [
            { Name: 'Bay 0', SerialNumber: 'S4YX' },
            {
              Name: 'Bay 1',
              SerialNumber: 'ZC11',
              MediaType: 'HDD',
              CapacityBytes: 4e12,
              PredictedMediaLifeLeftPercent: 90,
              FailurePredicted: false,
            },
          ],
        },
      ],
    },
  });
  t.deepEqual(
    drives.map(({ name, kind, wearPercent, failing }) => [name, kind, wearPercent, failing]),
    [
      ['sda', 'ssd', 12, true],
      ['nvme0n1', 'nvme', 3, false],
      ['Bay 1', 'hdd', 10, false],
    ],
  );
  t.is(drives[0]?.bytes, 960_197_124_096);
});

test('an interface has its card and its neighbor', (t) => {
  const { interfaces } = factsOf({
    ethtool: { eno1: { mac: 'AA:BB:CC:00:11:22', 'firmware-version': '22.31.6' } },
    lldp: { eno1: { chassis: { name: 'rack12-switch' }, port: { ifname: 'Ethernet3/1' } } },
    'redfish-system': { EthernetInterfaces: [{ Id: 'NIC.1', MACAddress: 'aa:bb:cc:00:11:22' }] },
  });
  t.deepEqual(interfaces, [
    { name: 'eno1', mac: 'aa:bb:cc:00:11:22', firmware: '22.31.6', switch: 'rack12-switch', port: 'Ethernet3/1' },
  ]);
});

test('a switch by its own software, and by SNMP', (t) => {
  const eos = { mfgName: 'Arista', modelName: 'DCS-7050SX3-48YC12-F', serialNumber: 'JPE12', version: '4.30.1F' };
  t.like(factsOf({ version: eos }), { vendor: 'Arista', model: 'DCS-7050SX3-48YC12-F', serial: 'JPE12' });
  const parts = [
    { index: 1, description: 'Fan' },
    { index: 2, manufacturer: 'Edgecore', model: 'AS7726-32X', serialNumber: 'EC1' },
  ];
  const both = factsOf({ snmp: { parts }, version: { vendor: 'onie', serialNumber: 'EC1' } });
  t.like(both, { vendor: 'Edgecore', model: 'AS7726-32X', serial: 'EC1' });
});

test('nonsense of a node gives no error, no text without an end, and no list without an end', (t) => {
  const long = 'x'.repeat(100_000);
  const deep: Record<string, unknown> = {};
  for (let inner = deep, n = 0; n < 1_000; n += 1) {
    const child = { class: 'memory', children: [] as unknown[] };
    inner.children = [child];
    inner = child as never;
  }
  const nonsense = [
    null,
    [],
    [[]],
    'text',
    7,
    { __proto__: null },
    deep,
    Array.from({ length: 5_000 }, (_, n) => ({ devName: `d${n}`, serial: long })),
    Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`e${n}`, { mac: long, model_name: long }])),
    { 'System Information': [{ Manufacturer: long }], 'Memory Device': [{ Size: '999999999 TB' }, { Size: {} }] },
    { Storage: [null, { Drives: [null, {}] }], MemorySummary: { TotalSystemMemoryGiB: Number.NaN } },
  ];
  for (const source of factSources)
    for (const data of nonsense) {
      const facts = factsOf({ [source]: data });
      t.true(JSON.stringify(facts).length < 200_000, source);
      t.true(facts.drives.length <= 100 && facts.interfaces.length <= 64);
      t.true((facts.vendor ?? '').length <= 128);
      t.true(Number.isFinite(facts.memoryBytes ?? 0));
    }
});
