import test from 'ava';
import { obmServices } from '../../../../engine/define/node.ts';
import { configSecrets, shownConfig } from '../../../../engine/hardware/obm/shown-config.ts';

const hidden = ['password', 'pwd', 'pass', 'community', 'kg', 'psk', 'privateKey', 'anything', 'Host', '__proto__'];

for (const service of [...obmServices, 'gone-obm-service']) {
  for (const key of hidden) {
    test(`${service}: ${key} is hidden, and marked as a secret`, (t) => {
      const config = JSON.parse(`{ ${JSON.stringify(key)}: "calvin", "deep": { "a": ["hobbes"] } }`);
      t.deepEqual(Object.values(shownConfig(service, config)), ['REDACTED', 'REDACTED']);
      t.deepEqual(configSecrets(service, config), ['calvin', 'hobbes']);
    });
  }
}

test('the address of a BMC is shown', (t) => {
  const ipmi = { host: '10.1.1.7', port: 623, user: 'root', username: 'r', cipherSuite: 3 };
  t.deepEqual(shownConfig('ipmi-obm-service', ipmi), ipmi);
  const redfish = {
    uri: 'https://10.1.1.7/redfish',
    root: '/redfish/v1/Systems/1',
    verifySSL: false,
    protocol: 'https',
  };
  t.deepEqual(shownConfig('redfish-obm-service', redfish), redfish);
});

test('a known key is hidden if its value may hold a secret', (t) => {
  const shown = (config: Record<string, unknown>) => shownConfig('redfish-obm-service', config);
  t.deepEqual(shown({ uri: 'https://root:calvin@10.1.1.7:8443/x?token=y#z' }), { uri: 'https://10.1.1.7:8443/x' });
  t.deepEqual(shown({ host: 'root:calvin@10.1.1.7' }), { host: 'REDACTED' });
  t.deepEqual(shown({ user: 'root:calvin' }), { user: 'REDACTED' });
  t.deepEqual(shown({ user: { password: 'calvin' } }), { user: 'REDACTED' });
  t.deepEqual(shown({ ca: '-----BEGIN PRIVATE KEY-----' }), { ca: 'REDACTED' });
  t.true(configSecrets('redfish-obm-service', { uri: 'https://root:calvin@10.1.1.7' }).includes('calvin'));
});
