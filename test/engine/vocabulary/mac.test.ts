import test from 'ava';
import fc from 'fast-check';
import { identifierOf, MAC_PATTERN, macOf, namesOf } from '../../../engine/vocabulary/mac.ts';

const hex = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 20 });
const two = (byte: number) => byte.toString(16).padStart(2, '0');
const writings = (bytes: readonly number[]): string[] => {
  const pairs = bytes.map(two);
  const all = [pairs.join(':'), pairs.join('-'), pairs.join('')];
  if (bytes.length % 2 === 0) all.push(pairs.map((pair, n) => (n % 2 === 0 && n > 0 ? `.${pair}` : pair)).join(''));
  return all.flatMap((one) => [one, one.toUpperCase()]);
};

test('every spelling of a MAC has the same normal form, and the normal form is its own', (t) => {
  fc.assert(
    fc.property(hex, (bytes) => {
      const one = bytes.map(two).join(':');
      return writings(bytes).every((text) => macOf(text) === one && new RegExp(MAC_PATTERN).test(text));
    }),
  );
  t.is(macOf('0050.56AA.BBCC'), '00:50:56:aa:bb:cc');
});

test('every spelling of a MAC finds a node name that is stored in any spelling', (t) => {
  fc.assert(
    fc.property(hex, (bytes) => {
      const all = writings(bytes);
      // Digits alone keep their spelling, because case does not apply to them.
      return all.every((kept) => all.every((asked) => namesOf(asked).includes(identifierOf(kept))));
    }),
  );
  t.is(identifierOf('7C12AB34CD56'), '7C12AB34CD56', 'it may be a serial number');
});

for (const text of [
  '',
  'aa:bb',
  '02:00:00:00:00',
  '02:00:00:00:00:0',
  '02:00:00:00:00:0g',
  '0250:5600:0001',
  '10.1.1.9',
  'x',
]) {
  test(`${JSON.stringify(text)} is not a MAC, and stays unchanged`, (t) => {
    t.is(macOf(text), undefined);
    t.is(identifierOf(text), text);
    t.deepEqual(namesOf(text), [text]);
  });
}
