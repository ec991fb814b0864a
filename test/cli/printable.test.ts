/** Texts of others on a terminal. */
import test from 'ava';
import { jsonText, printableText } from '../../api/cli/terminal.ts';

/** A clear of the screen by two forms of CSI, a title, a bell, a reversal of the text, lines. */
const HOSTILE = 'a\u001b[2Jb\u009b2Jc\u001b]0;t\u0007d\u202ee\r\nf\u007f';
const RANGES = [
  [0, 0x1f],
  [0x7f, 0x9f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
] as const;

const obeyed = (text: string): string[] =>
  [...text].filter((one) =>
    RANGES.some(([first, last]) => one >= String.fromCharCode(first) && one <= String.fromCharCode(last)),
  );

test('the characters of the example are found', (t) => {
  t.is(obeyed(HOSTILE).length, 8);
});

test('a printable text has no character that a terminal obeys', (t) => {
  t.deepEqual(obeyed(printableText(HOSTILE)), []);
  t.is(printableText('Größe 10 €, 日本'), 'Größe 10 €, 日本');
});

test('JSON has none either, and is read as what it was', (t) => {
  const value = { [HOSTILE]: [HOSTILE, 1, null] };
  t.deepEqual(obeyed(jsonText(value)), []);
  t.deepEqual(obeyed(jsonText(value, 2).replaceAll('\n', '')), []);
  t.deepEqual(JSON.parse(jsonText(value, 2)), value);
});
