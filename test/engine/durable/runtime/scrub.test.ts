import test from 'ava';
import fc from 'fast-check';
import { Scrubber } from '../../../../engine/durable/runtime/scrub.ts';
import { Vault } from '../../../../engine/platform/secrets/vault.ts';
import { hideEncrypted, holdsEncrypted } from '../../../../engine/vocabulary/encrypted-values.ts';

const vault = new Vault(['s'.repeat(43)]);
const scrubberOf = (...texts: string[]) => {
  const scrubber = new Scrubber(vault);
  texts.forEach(scrubber.note);
  return scrubber;
};

test('a secret of four characters or more is in no output and no message, in any encoding', (t) => {
  const around = fc.string({ maxLength: 10 });
  fc.assert(
    fc.property(fc.string({ minLength: 4, maxLength: 40 }), around, around, (secret, before, after) => {
      const scrubber = scrubberOf(secret);
      const text = `${before}${secret}${after}`;
      const whole = {
        text,
        list: [{ [secret]: 1 }],
        basic: Buffer.from(text).toString('base64'),
        url: encodeURIComponent(text),
      };
      const shown = hideEncrypted(JSON.stringify(scrubber.output(whole)));
      t.false(shown.includes(JSON.stringify(secret).slice(1, -1)) && !'REDACTED'.includes(secret));
      const message = scrubber.text(text);
      t.false(message.includes(secret) && !'REDACTED'.includes(secret));
    }),
  );
});

test('a secret in an output is encrypted, so that a later task can use it', (t) => {
  const output = scrubberOf('calvin-17').output({
    said: 'it is calvin-17.',
    basic: Buffer.from('u:calvin-17').toString('base64'),
  });
  t.false(JSON.stringify(output).includes('calvin'));
  t.deepEqual(vault.decrypt(output).value, {
    said: 'it is calvin-17.',
    basic: Buffer.from('u:calvin-17').toString('base64'),
  });
});

test('base64 of a text with the secret is found at each of its three offsets', (t) => {
  for (const user of ['u', 'us', 'use']) {
    const basic = Buffer.from(`${user}:calvin-and-hobbes`).toString('base64');
    const text = scrubberOf('calvin-and-hobbes').text(`x ${basic}`);
    t.false(Buffer.from(text.slice(2), 'base64').includes('calvin-and-h'), text);
  }
});

test("values with a secret's name are encrypted even if they were not known as secrets", (t) => {
  const given = { headers: { 'set-cookie': ['a=b; Path=/'], date: 'x' }, body: { access_token: 'abc', expires_in: 3 } };
  const output = new Scrubber(vault).output(given);
  t.like(output, { headers: { date: 'x' }, body: { expires_in: 3 } });
  t.regex(hideEncrypted(JSON.stringify(output)), /"set-cookie":\["REDACTED"\].*"access_token":"REDACTED"/);
  t.deepEqual(vault.decrypt(output).value, given);
});

test('an output without secrets is passed on unchanged', (t) => {
  const output = { a: [1, 'two', { three: null }] };
  t.is(new Scrubber(vault).output(output), output);
});

test('a value from outside that looks encrypted is never decrypted', (t) => {
  const token = vault.hiding().value('secret');
  const output = new Scrubber(vault).output({ said: `it was ${token}` });
  t.false(holdsEncrypted(output));
});

test('names, codes and messages of errors are scrubbed', (t) => {
  const error = {
    name: 'calvin-17',
    code: 'calvin-17',
    message: 'no calvin-17 here, password=other',
    retry: false as const,
  };
  t.deepEqual(scrubberOf('calvin-17').error(error), {
    name: 'REDACTED',
    code: 'REDACTED',
    message: 'no REDACTED here, password=REDACTED',
    retry: false,
  });
});

test('secrets of three characters stay', (t) => {
  t.is(scrubberOf('abc').text('abc'), 'abc');
});
