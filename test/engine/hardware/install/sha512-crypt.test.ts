import { execFileSync } from 'node:child_process';
import test from 'ava';
import { randomSalt, sha512Crypt } from '../../../../engine/hardware/install/sha512-crypt.ts';
import { needing } from '../../../support/ava/needs.ts';
import { onPath } from '../../../support/ava/on-path.ts';

const checking = needing(onPath('openssl') === undefined ? 'openssl is not installed' : undefined);

test('the hash is that of the specification', async (t) => {
  t.is(
    await sha512Crypt('Hello world!', 'saltstring'),
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  );
  t.not(await sha512Crypt('a'), await sha512Crypt('a'), 'each has its own salt');
});

checking.serial('the hash is that of openssl for passwords of any length and alphabet', async (t) => {
  for (const password of ['a', 'x'.repeat(64), 'ü"$`'.repeat(40), '\u{1f600} pass word'.repeat(9)]) {
    const salt = randomSalt();
    const said = execFileSync('openssl', ['passwd', '-6', '-salt', salt, '-stdin'], { input: `${password}\n` });
    t.is(await sha512Crypt(password, salt), said.toString().trim());
  }
});
