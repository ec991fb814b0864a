/** The lines of a console: what a terminal shows of the bytes, and their limits. */
import test from 'ava';
import fc from 'fast-check';
import { ConsoleText, CUT, cutLine, LINE_CHARACTERS } from '../../../../engine/inventory/consoles/console-text.ts';
import { LINES_PER_SECOND, LineQuota } from '../../../../engine/inventory/consoles/line-quota.ts';

const linesOf = (...parts: (string | Buffer)[]): string[] => {
  const text = new ConsoleText();
  return [...parts.flatMap((part) => text.take(Buffer.from(part as string))), ...text.flush()];
};

test('a line ends with any of the line breaks of terminals, and an empty one stays', (t) => {
  t.deepEqual(linesOf('a\r\nb\n\nc\rd\r\r\n\r\ne'), ['a', 'b', '', 'c', 'd', '', 'e']);
});

test('sequences for colours, titles and character sets are removed, also when they come in parts', (t) => {
  t.deepEqual(linesOf('\u001b[1;31mred\u001b[0', 'm\n\u001b]0;title\u0007x\u001b(By\u001b', '[K\n'), ['red', 'xy']);
});

test('a move of the cursor to another line ends the line, as in the screens of firmware', (t) => {
  t.deepEqual(linesOf('\u001b[2J\u001b[1;1HSetup\u001b[2;1H  Boot\u001b[24;1H'), ['Setup', '  Boot']);
});

test('a backspace takes a character back; control characters, and those that change the direction of text, are removed', (t) => {
  t.deepEqual(linesOf('|\b/\b-\bok\u0007\u0000\u202edone\t1\u200b\n'), ['okdone\t1']);
});

test('a character may come in parts', (t) => {
  const bytes = Buffer.from('grün\n');
  t.deepEqual(linesOf(bytes.subarray(0, 3), bytes.subarray(3)), ['grün']);
});

test('what is kept of a line is bounded, and one that is cut says so', (t) => {
  const [line = ''] = linesOf('x'.repeat(1_000_000));
  t.true(line.length < 10_000);
  t.is(cutLine(line), 'x'.repeat(LINE_CHARACTERS) + CUT);
  t.is(cutLine('short'), 'short');
});

test('no bytes, in any parts, leave a control character in a line, and all parts give the same lines', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, at) => {
      const whole = linesOf(Buffer.from(bytes));
      t.false(whole.some((line) => /[\p{Cc}\p{Cf}]/u.test(line.replaceAll('\t', ''))));
      t.deepEqual(linesOf(Buffer.from(bytes.subarray(0, at)), Buffer.from(bytes.subarray(at))), whole);
    }),
  );
  t.pass();
});

test('a machine that writes without end has a limit of lines a second, and the others are counted', (t) => {
  const quota = new LineQuota(0);
  let admitted = 0;
  for (let index = 0; index < 100_000; index += 1) if (quota.admits(index / 10)) admitted += 1;
  const seconds = 10;
  t.true(admitted >= LINES_PER_SECOND * seconds && admitted <= LINES_PER_SECOND * seconds + 2_000);
  t.is(quota.takeDropped(), 100_000 - admitted);
  t.is(quota.takeDropped(), 0);
});
