import test from 'ava';
import fc from 'fast-check';
import { render } from '../../../../engine/library/options/templates.ts';
import { Vault } from '../../../../engine/platform/secrets/vault.ts';
import { conceal } from '../../../../engine/vocabulary/conceal.ts';
import {
  hideEncrypted,
  holdsEncrypted,
  spoilEncrypted,
  withDepth,
} from '../../../../engine/vocabulary/encrypted-values.ts';
import type { NodewrightError } from '../../../../engine/vocabulary/errors.ts';

const vault = new Vault(['s'.repeat(43)]);
const encrypt = (value: unknown) => vault.hiding().value(value);
const whole = fc
  .string({ minLength: 1, unit: 'grapheme' })
  .filter((text) => !text.includes('{{') && !/^\w+ /.test(text));

test('an encrypted value is decrypted unchanged, alone and inside other texts', (t) => {
  fc.assert(
    fc.property(whole, fc.string(), fc.string(), (secret, before, after) => {
      const token = encrypt(secret) as string;
      t.is(vault.decrypt(token).value, secret);
      t.is(vault.decrypt(`${before}${token}${after}${token}`).value, `${before}${secret}${after}${secret}`);
      t.is(new URL(`http://h/?x=${encodeURIComponent(token)}`).search, `?x=${token}`);
    }),
  );
});

test('numbers stay numbers, and marked objects keep their shape', (t) => {
  const encrypted = encrypt({ pin: 1234, deep: [{ a: 'x' }], on: true, none: null }) as Record<string, unknown>;
  t.is(typeof encrypted.pin, 'string');
  t.deepEqual([encrypted.on, encrypted.none], [true, null]);
  t.deepEqual(vault.decrypt(encrypted).value, { pin: 1234, deep: [{ a: 'x' }], on: true, none: null });
});

test('a secret inside a JSON text is escaped there when it is decrypted', (t) => {
  fc.assert(
    fc.property(whole, (secret) => {
      const options = { credential: { password: encrypt(secret) } };
      const text = render('x={{ options.credential }}', { options }) as string;
      t.is(vault.decrypt(text).value, `x=${JSON.stringify({ password: secret })}`);
      const twice = withDepth(JSON.stringify({ text }));
      t.is(vault.decrypt(twice).value, JSON.stringify({ text: `x=${JSON.stringify({ password: secret })}` }));
    }),
  );
});

test('templates and encrypted values inside a secret stay unchanged', (t) => {
  const inner = encrypt('inner') as string;
  const encrypted = encrypt(`a{{ env.b }}c${inner}`) as string;
  t.true(encrypted.includes('{{ env.b }}'));
  t.true(encrypted.includes(inner));
  t.is(vault.decrypt(encrypted).value, 'a{{ env.b }}cinner');
});

test('a secret of a megabyte of opening braces is encrypted whole, and its last template is not', (t) => {
  const braces = '{{ '.repeat(300_000);
  t.false(String(encrypt(braces)).includes('{{'));
  const encrypted = encrypt(`${braces}{{ env.b }}`) as string;
  t.true(encrypted.endsWith('~{{ env.b }}'));
  t.is(vault.decrypt(encrypted).value, `${braces}{{ env.b }}`);
});

test('a value that is truncated, changed or of another key fails with a code and a remedy', (t) => {
  const token = encrypt('secret') as string;
  const other = new Vault(['o'.repeat(43)]);
  const wrong = [
    () => other.decrypt(token),
    () => vault.decrypt(token.slice(0, -3)),
    () => vault.decrypt(token.replace(/.(?=.{9}$)/, (char) => (char === 'A' ? 'B' : 'A'))),
  ];
  for (const open of wrong) {
    const error = t.throws(open) as NodewrightError;
    t.is(error.code, 'SECRET_UNREADABLE');
    t.regex(error.message, /restore the secret/);
  }
});

test('equal values are encrypted equally only on request', (t) => {
  t.not(encrypt('a'), encrypt('a'));
  const stable = vault.hiding({ stable: true });
  t.is(stable.value('a'), stable.value('a'));
  t.not(stable.value('a'), stable.value('b'));
});

test('a value beside a secret is encrypted, and is not scrubbed from texts', (t) => {
  const encrypted = conceal(
    [{ properties: { credential: { secret: true } } }],
    { credential: { username: 'root', password: 'calvin' } },
    vault.hiding(),
  );
  t.false(JSON.stringify(encrypted).includes('root'));
  t.deepEqual(
    vault.decrypt(encrypted).secrets.map(({ text }) => text),
    ['calvin'],
  );
});

test('an encrypted value is shown as REDACTED, even if truncated; one from outside is made invalid', (t) => {
  const token = encrypt('secret') as string;
  t.is(hideEncrypted(`a ${token} b`), 'a REDACTED b');
  t.is(hideEncrypted(`a ${token.slice(0, -7)}`), 'a REDACTED');
  t.false(holdsEncrypted(spoilEncrypted(token)));
});

test('a value that was shown as REDACTED is rejected as input', (t) => {
  const error = t.throws(() => vault.hiding({ entered: true }).value('REDACTED')) as NodewrightError;
  t.is(error.code, 'INVALID_OPTIONS');
});
