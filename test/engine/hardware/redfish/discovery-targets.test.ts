/** The addresses of BMCs: what a range and a subnet mean, and what is rejected before anything is asked. */
import test from 'ava';
import { discoveryTargets } from '../../../../engine/hardware/redfish/discovery-targets.ts';

const targetsOf = (...given: string[]) => discoveryTargets(given).targets;

test('a range has both of its ends, a subnet only its hosts, and an origin no path; each counts once', (t) => {
  t.deepEqual(targetsOf('10.1.1.254-10.1.2.1'), ['10.1.1.254', '10.1.1.255', '10.1.2.0', '10.1.2.1']);
  t.deepEqual(targetsOf('10.1.1.7-9', '10.1.1.8'), ['10.1.1.7', '10.1.1.8', '10.1.1.9']);
  t.deepEqual(
    targetsOf('10.1.1.9/29'),
    [9, 10, 11, 12, 13, 14].map((host) => `10.1.1.${host}`),
  );
  t.deepEqual(targetsOf('10.1.1.8/31', '10.1.1.7/32'), ['10.1.1.8', '10.1.1.9', '10.1.1.7']);
  t.deepEqual(targetsOf('https://10.1.1.7:8443/redfish/v1', 'bmc-7.example', '2001:db8::7'), [
    'https://10.1.1.7:8443',
    'bmc-7.example',
    '2001:db8::7',
  ]);
  t.is(targetsOf('10.1.1.0/24').length, 254);
});

for (const [entry, expected] of [
  ['10.1.1.40-10.1.1.10', /expected a range/],
  ['10.1.1.10-300', /expected a range/],
  ['10.1.1.0/33', /expected a subnet/],
  ['10.0.0.0/8', /has 16777214 addresses; expected 256/],
  ['999.1.1.1', /expected an address/],
  ['ftp://10.1.1.7', /expected an origin/],
  ['https://root:calvin@10.1.1.7', /without a user/],
  ['10.1.1.7 ', /expected an address/],
  ['0.0.0.0', /no BMC has the address/],
  ['239.1.1.1', /no BMC has the address/],
  ['255.255.255.255', /no BMC has the address/],
  ['http://[ff02::1]', /no BMC has the address/],
  ['::', /no BMC has the address/],
] as const)
  test(`${entry} is rejected: ${expected.source}`, (t) => {
    const { targets, violations } = discoveryTargets(['10.1.1.1', entry]);
    t.deepEqual(targets, ['10.1.1.1']);
    t.deepEqual([violations.length, violations[0]?.path], [1, 'addresses.1']);
    t.regex(violations[0]?.message ?? '', expected);
  });

test('the addresses of all entries together are limited', (t) => {
  const { violations } = discoveryTargets(['10.1.1.0/24', '10.1.2.1-3']);
  t.deepEqual(violations, [{ path: 'addresses', message: 'has 257 addresses; expected 256 at most' }]);
});
