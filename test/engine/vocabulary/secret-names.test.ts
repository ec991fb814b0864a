import test from 'ava';
import { isSecret } from '../../../engine/vocabulary/secret-names.ts';

const secrets = [
  ...[
    'password',
    'Password',
    'passwd',
    'passwort',
    'pwd',
    'userPwd',
    'bmc_pwd',
    'pass',
    'ipmiPass',
    'ipmipass',
    'root-pass',
  ],
  ...[
    'passphrase',
    'passcode',
    'community',
    'snmpCommunity',
    'SNMP Community String',
    'kg',
    'bmcKg',
    'psk',
    'wifi_psk',
  ],
  ...['secret', 'clientSecret', 'secret_id', 'token', 'accessToken', 'X-Auth-Token', 'tokens', 'bearer', 'jwt', 'otp'],
  ...['cookie', 'Set-Cookie', 'authorization', 'Proxy-Authorization', 'apikey', 'apiKey', 'api-key', 'X-API-Key'],
  ...[
    'privateKey',
    'private_key',
    'sshPrivateKey',
    'PRIVATE KEY',
    'kerberos',
    'kerberosTicket',
    'keytab',
    'credentials',
  ],
  ...[
    'encryptionKey',
    'preSharedKey',
    'secretKey',
    'accessKey',
    'sessionId',
    'passwordHash',
    'adminPASSWORD',
    'dbpass',
  ],
  ...['HTTPPassword', 'ipmiuserpassword', 'rootpw', 'root_pw', 'nodewright.key', 'creds', 'ADMIN_PASSWORD'],
];

const innocent = [
  ...['compass', 'bypass', 'passes', 'passed', 'passive', 'passthrough', 'passThrough', 'multipass', 'encompass'],
  ...[
    'token_count',
    'tokenCount',
    'maxTokens',
    'tokenizer',
    'tokenType',
    'secretary',
    'authTokenExpireIn',
    'key',
    'keys',
  ],
  ...[
    'publicKey',
    'keyboard',
    'Power-On Password Status',
    'MinPasswordLength',
    'passwordPolicy',
    'passwordFile',
    'tokenUrl',
  ],
  ...[
    'user',
    'username',
    'host',
    'backgroundColor',
    'kgs',
    'pinned',
    'spinning',
    'pathname',
    'assignment',
    'communityEdition',
  ],
  ...[
    'author',
    'authority',
    'authorized',
    'sessions',
    'hasPassword',
    'isSecret',
    'cookiePolicy',
    'firstpass',
    'monkey',
  ],
];

// biome-ignore format: one line each
for (const name of secrets) test(`the name ${name} marks a secret`, (t) => { t.true(isSecret(name, 'value')); });
// biome-ignore format: one line each
for (const name of innocent) test(`the name ${name} marks no secret`, (t) => { t.false(isSecret(name, 'value')); });

test('a weight and a number of passes are not secrets, though their names look like it', (t) => {
  t.false(isSecret('kg', 12));
  t.false(isSecret('pass', 3));
  t.true(isSecret('password', 1234));
});

test('true, false, empty values and null are not secrets, whatever their names', (t) => {
  for (const value of [true, false, null, undefined, '']) t.false(isSecret('password', value));
});
