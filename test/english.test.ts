/**
 * The English of comments, messages and pages: patterns that make a text hard to read are refused, and so are words of
 * our own where the field has one (`engine/GLOSSARY.md`). An exception is named with its reason.
 */
import test from 'ava';
import { allProse, type Prose } from './support/source/prose.ts';

/** After the beginning of a text, of a sentence, of a numbered rule, or of a clause. */
const CLAUSE_START = String.raw`(?:^|[.:;!?] |\b\d\. |- )`;

interface Pattern {
  name: string;
  instead: string;
  found: RegExp;
  /** Texts of the API and pages may match. */
  onlyComments?: true;
}

const patterns: Pattern[] = [
  {
    name: 'a relative clause without its noun',
    instead: 'name the noun: "the process that ..."',
    found: new RegExp(
      String.raw`${CLAUSE_START}(?:What|Who|Whose)\b(?![^.?]*\?)|\b(?:whoever|whomever|whosever)\b|${CLAUSE_START}Whatever\b|\b(?:and|but|so|of|for|to|by|from) who\b`,
    ),
  },
  {
    name: 'a beginning without its subject',
    instead: 'begin with the noun: "The code of ...", "Name of ..."',
    found: /^(?:Of|Likewise)\b/,
    onlyComments: true,
  },
  {
    name: 'an agent without a name',
    instead: 'name the component or the role',
    found: /\b(?:nobody|somebody|anybody|everybody|no one|someone|anyone|everyone)\b/i,
  },
  {
    name: 'an inverted clause',
    instead: 'put the subject first',
    found: new RegExp(
      String.raw`${CLAUSE_START}(?:So|Neither|Nor|Then|Here|There|Thus) (?:is|are|does|do|did|has|have|was|were|goes|comes|stands|lies)\b(?! (?:no|a|an|one|two|nothing|at|only)\b)|${CLAUSE_START}Not (?:so|until)\b`,
    ),
  },
  {
    name: 'a figurative verb',
    instead: 'use the plain verb: is stored, uses, applies, handles',
    found:
      /\b(?:stands?|stood) (?:in|there|for|beside|under|above|below|at|with|as)\b|\b(?:lies|lay) (?:in|there|at)\b|\b(?:goes|go|went|going) by\b(?! the name)|\b(?:sees?|seeing|seen|saw) to\b|\bin hand\b|\bcounts? for\b|\b(?:speak|spoken|speaks) to\b/i,
  },
  {
    name: 'a verb with a particle where the field has a noun',
    instead: 'outbox, lease, circuit breaker, mailbox, delivery',
    found:
      /\bwork(?:s|ed)? off\b|\bhand(?:s|ed)? over\b|\bmade up for\b|\bhold(?:s)? back\b|\bheld back\b|\bwaits? out\b/i,
  },
  {
    name: 'a passive of tell',
    instead: 'send, publish, report, notify, log',
    found:
      /\b(?:is|are|was|were|be|been|being|gets?|not) told\b|\btell(?:s|ing)? (?:of|that|how|whether|what|who|why)\b|\btold (?:of|that|by|to|about)\b/i,
  },
  {
    name: 'a vague adverb or phrase',
    instead: 'immediately or at the same time; in the meantime; instead of; this many; continues',
    found: /\bat once\b|\bmeanwhile\b|\bin place of\b|\bso many\b|\bgoes on\b/i,
  },
  {
    name: 'a machine as a person',
    instead: 'say what the process does',
    found:
      /\b(?:hears?|heard) (?:of|from|that)\b|\bknows? nothing\b|\bhas the floor\b|\bhas to see\b|\bby itself alone\b|\bmeans? it\b/i,
  },
];

/** By file and by a part of the text: it says the same thing in the only way there is. */
const exceptions: { file: string; text: string; reason: string }[] = [];

const excepted = ({ file, text }: Prose): boolean =>
  exceptions.some((exception) => file === exception.file && text.includes(exception.text));

const prose = allProse();

test('the prose of the package is read', (t) => {
  t.true(prose.length > 5_000, `${prose.length} pieces`);
});

for (const { name, instead, found, onlyComments } of patterns) {
  test(`no text has ${name}: ${instead}`, (t) => {
    const hits = prose.filter(
      (piece) => found.test(piece.text) && (piece.isComment || !onlyComments) && !excepted(piece),
    );
    t.deepEqual(
      hits.map(({ file, line, text }) => `${file}:${line}: ${text.slice(0, 200)}`),
      [],
    );
  });
}

test('every exception is in use', (t) => {
  const unused = exceptions.filter(
    (exception) => !prose.some((piece) => excepted(piece) && piece.file === exception.file),
  );
  t.deepEqual(unused, []);
});
