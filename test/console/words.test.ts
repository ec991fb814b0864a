/** The texts of the console are in the words of operators, as the glossary lists them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { innermostStates, stateWords } from '../../engine/vocabulary/state-words.ts';
import { refusedIn, refusedWords } from '../support/console/refused-words.ts';

const sources = packagePath('api/console');

/** Texts between tags, and texts of several words in quotes. */
const shownTexts = (source: string): string[] =>
  [...source.matchAll(/>([^<>{}=;]*[a-z]{2}[^<>{}=;]*)<|(['"`])([^'"`\n]* [^'"`\n]*)\2/g)].map(
    ([, text, , quoted]) => text ?? quoted ?? '',
  );

test('the glossary lists words that the console does not use', (t) => {
  t.true(refusedWords.length > 10, refusedWords.join());
  t.is(refusedIn('1 nodes; {"a":"b"}; its circuit is open').length, 2);
});

test('no text of the console has a word of the engine', (t) => {
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
  t.true(names.length > 100);
  for (const name of names) {
    const lines = readFileSync(join(sources, name), 'utf8')
      .replaceAll(/\/\*.*?\*\//gs, '')
      .split('\n');
    const source = lines.filter((line) => !/^\s*(?:import|\/\/)/.test(line)).join('\n');
    t.deepEqual(shownTexts(source).flatMap(refusedIn), [], name);
  }
});

test('a state value is shown in words', (t) => {
  t.is(stateWords('failed'), 'failed');
  t.is(stateWords({ erasing: { booting: 'done', working: 'waiting' } }), 'erasing: booting done, working waiting');
});

test('the innermost states of a value are paths in words', (t) => {
  t.deepEqual(innermostStates('failed'), ['failed']);
  t.deepEqual(innermostStates({ erasing: { booting: 'parked', working: { looking: {} } } }), [
    'erasing: booting: parked',
    'erasing: working: looking',
  ]);
  t.deepEqual(innermostStates(null), []);
});
