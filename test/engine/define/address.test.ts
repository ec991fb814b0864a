/** Hosts and URLs that look like addresses and are none. */
import test from 'ava';
import { IPV4_PATTERN, isNoAddress, isNoUrl } from '../../../engine/define/address.ts';

test('a host of digits, or with colons, is an address or a MAC, or none', (t) => {
  for (const host of ['999.1.1.1', '1.2.3', '1.2.3.4.5', '300', 'fe80:::1', '12:34', 'a:b:c'])
    t.true(isNoAddress(host), host);
  for (const host of ['10.1.1.1', 'bmc-7', '7.rack.example', 'fe80::1', '00:11:22:33:44:55', 'fe80::1%eth0'])
    t.false(isNoAddress(host), host);
  const pattern = new RegExp(IPV4_PATTERN);
  for (const [text, is] of [
    ['0.0.0.0', true],
    ['255.255.255.255', true],
    ['256.1.1.1', false],
    ['01.1.1.1', false],
    ['1.1.1', false],
  ] as const)
    t.is(pattern.test(text), is, text);
});

test('a path is no URL to judge; a URL needs a host that can exist', (t) => {
  for (const place of ['images/a.img', '/a', 'http://10.1.1.1/a', 'http://[fe80::1]:80/a'])
    t.false(isNoUrl(place), place);
  for (const place of ['http://999.1.1.1/a', 'http:///', 'http://a:99999/']) t.true(isNoUrl(place), place);
});
