import test from 'ava';
import fc from 'fast-check';
import { conceal } from '../../engine/define/conceal.ts';
import type { NodewrightError } from '../../engine/define/errors.ts';
import { deeper, hideSealed, holdsSealed, spoilSealed } from '../../engine/define/sealed.ts';
import { render } from '../../engine/library/templates.ts';
import { Vault } from '../../engine/vault.ts';

const vault = new Vault('s'.repeat(43));
const seal = (value: unknown) => vault.hiding().value(value);
const whole = fc
  .string({ minLength: 1, unit: 'grapheme' })
  .filter((text) => !text.includes('{{') && !/^\w+ /.test(text));

test('an encrypted value is decrypted unchanged, alone and inside other texts', (t) => {
  fc.assert(
    fc.property(whole, fc.string(), fc.string(), (secret, before, after) => {
      const token = seal(secret) as string;
      t.is(vault.open(token).value, secret);
      t.is(vault.open(`${before}${token}${after}${token}`).value, `${before}${secret}${after}${secret}`);
      t.is(new URL(`http://h/?x=${encodeURIComponent(token)}`).search, `?x=${token}`);
    }),
  );
});

test('numbers stay numbers, and marked objects keep their shape', (t) => {
  const sealed = seal({ pin: 1234, deep: [{ a: 'x' }], on: true, none: null }) as Record<string, unknown>;
  t.is(typeof sealed.pin, 'string');
  t.deepEqual([sealed.on, sealed.none], [true, null]);
  t.deepEqual(vault.open(sealed).value, { pin: 1234, deep: [{ a: 'x' }], on: true, none: null });
});

test('a secret inside a JSON text is escaped there when it is decrypted', (t) => {
  fc.assert(
    fc.property(whole, (secret) => {
      const options = { credential: { password: seal(secret) } };
      const text = render('x={{ options.credential }}', { options }) as string;
      t.is(vault.open(text).value, `x=${JSON.stringify({ password: secret })}`);
      const twice = deeper(JSON.stringify({ text }));
      t.is(vault.open(twice).value, JSON.stringify({ text: `x=${JSON.stringify({ password: secret })}` }));
    }),
  );
});

test('templates and encrypted values inside a secret stay unchanged', (t) => {
  const inner = seal('inner') as string;
  const sealed = seal(`a{{ env.b }}c${inner}`) as string;
  t.true(sealed.includes('{{ env.b }}'));
  t.true(sealed.includes(inner));
  t.is(vault.open(sealed).value, 'a{{ env.b }}cinner');
});

test('a value that is truncated, changed or of another key fails with a code and a remedy', (t) => {
  const token = seal('secret') as string;
  const other = new Vault('o'.repeat(43));
  const wrong = [
    () => other.open(token),
    () => vault.open(token.slice(0, -3)),
    () => vault.open(token.replace(/.(?=.{9}$)/, (char) => (char === 'A' ? 'B' : 'A'))),
  ];
  for (const open of wrong) {
    const error = t.throws(open) as NodewrightError;
    t.is(error.code, 'SECRET_UNREADABLE');
    t.regex(error.message, /restore the secret/);
  }
});

test('equal values are encrypted equally only on request', (t) => {
  t.not(seal('a'), seal('a'));
  const stable = vault.hiding({ stable: true });
  t.is(stable.value('a'), stable.value('a'));
  t.not(stable.value('a'), stable.value('b'));
});

test('a value beside a secret is encrypted, and is not scrubbed from texts', (t) => {
  const sealed = conceal(
    [{ properties: { credential: { secret: true } } }],
    { credential: { username: 'root', password: 'calvin' } },
    vault.hiding(),
  );
  t.false(JSON.stringify(sealed).includes('root'));
  t.deepEqual(
    vault.open(sealed).secrets.map(({ text }) => text),
    ['calvin'],
  );
});

test('an encrypted value is shown as REDACTED, even if truncated; one from outside is made invalid', (t) => {
  const token = seal('secret') as string;
  t.is(hideSealed(`a ${token} b`), 'a REDACTED b');
  t.is(hideSealed(`a ${token.slice(0, -7)}`), 'a REDACTED');
  t.false(holdsSealed(spoilSealed(token)));
});

test('a value that was shown as REDACTED is rejected as input', (t) => {
  const error = t.throws(() => vault.hiding({ entered: true }).value('REDACTED')) as NodewrightError;
  t.is(error.code, 'INVALID_OPTIONS');
});
