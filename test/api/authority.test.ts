import { X509Certificate } from 'node:crypto';
import test from 'ava';
import { authoritiesIn, rootIn } from '../../api/endpoint/authority.ts';
import { selfSignedPair } from '../../api/endpoint/self-signed.ts';
import { folder } from '../support/ava/folder.ts';

test('a self-signed certificate is its own authority, at any position in a chain', async (t) => {
  const { cert } = await selfSignedPair(folder(t));
  const other = (await selfSignedPair(folder(t))).cert;
  t.is(rootIn(`${cert}`), `${cert}`);
  t.is(rootIn(`text before\n${cert}${other}`), `${cert}`);
  t.is(authoritiesIn(`text before\n${cert}\n${other}`), `${cert}${other}`);
  t.is(rootIn(''), undefined);
  t.throws(() => authoritiesIn('nothing'));
});

test('a generated certificate is valid for the requested names and addresses, and for no others', async (t) => {
  const hosts = ['10.1.2.3', '2001:db8::1:0:2', '::ffff:10.9.9.9', 'nodewright.example', '0.0.0.0', '', 'no name'];
  const { cert } = await selfSignedPair(folder(t), hosts);
  const certificate = new X509Certificate(cert);
  t.is(certificate.checkHost('nodewright.example'), 'nodewright.example');
  for (const address of hosts.slice(0, 3)) t.truthy(certificate.checkIP(address), address);
  for (const address of ['10.1.2.4', '0.0.0.0', '2001:db8::1']) t.is(certificate.checkIP(address), undefined);
});
