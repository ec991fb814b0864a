/** The shape of the source: which folder may import which, and what no file may contain. The rules are the tables. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { districts, engineDistricts, inDefinitions, otherDistricts, simulators } from './support/source/districts.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

const files = ['engine', 'graphs', 'tasks', 'api'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name)),
);
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

const scripts = new Set(
  readdirSync(join(root, 'engine'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(sh|mjs)$/.test(name))
    .map((name) => join('engine', name)),
);

/** Only files of the project, like `engine/define/task.ts`. */
const imports: Import[] = files.flatMap((from) => {
  const text = texts.get(from) ?? '';
  const statements = [...text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'(\.[^']*)'/gm)];
  const dynamic = [...text.matchAll(/\bimport\((type\s)?'(\.[^']*)'\)/g)];
  const code = [...statements, ...dynamic].filter(([, , path = '']) => !path.endsWith('.css'));
  return code.map(([, type, path = '']) => ({
    from,
    to: join(dirname(from), path),
    typeOnly: type !== undefined,
  }));
});

const within = (file: string, places: readonly string[]) =>
  places.some((place) => (place.endsWith('/') ? file.startsWith(place) : file === place));

const shown = ({ from, to }: Import) => `${from} imports ${to}`;

test('the package has every folder of which graphs and tasks import parts', (t) => {
  const { files: packed } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const wanted = inDefinitions.map(({ place }) => place.replace(/\/$/, ''));
  const missing = wanted.filter((folder) => !packed.includes(folder));
  t.deepEqual(missing, []);
});

for (const { place, imports: allowed, types = [] } of districts) {
  test(`${place} imports only what its row allows`, (t) => {
    const own = imports.filter(({ from }) => within(from, [place]));
    t.true(own.length > 0);
    const wrong = own.filter(
      ({ to, typeOnly }) => !within(to, [place, ...allowed]) && !(typeOnly && within(to, types)),
    );
    t.deepEqual(wrong.map(shown), []);
  });
}

test('each file of the engine is in a district, and a district imports only later ones', (t) => {
  const places = engineDistricts.map(({ place }) => place);
  const homeless = files.filter((file) => file.startsWith('engine/') && !within(file, places));
  t.deepEqual(homeless, []);
  const upward = engineDistricts.flatMap(({ place, imports: allowed }, n) =>
    allowed
      .filter((one) => places.slice(0, n + 1).some((earlier) => one.startsWith(earlier)))
      .map((one) => [place, one]),
  );
  t.deepEqual(upward, []);
});

for (const { place, importers } of simulators) {
  test(`${place} is imported only from the places of its row`, (t) => {
    const others = imports.filter(({ from, to }) => within(to, [place]) && !within(from, [place, ...importers]));
    t.deepEqual(others.map(shown), []);
  });
}

test('each folder of api/ has a row, but its build', (t) => {
  const places = [...otherDistricts.map(({ place }) => place), 'api/build/'];
  const homeless = files.filter((file) => file.startsWith('api/') && !within(file, places));
  t.deepEqual(homeless, []);
});

test('only the programs load the engine: requests use it as api-port/ declares it', (t) => {
  const loading = imports.filter(({ from, to }) => from.startsWith('api/') && to === 'engine/index.ts');
  t.deepEqual(loading.map(({ from }) => from).sort(), [
    'api/cli/store/audit.ts',
    'api/cli/store/backup.ts',
    'api/cli/store/export.ts',
    'api/cli/store/import.ts',
    'api/cli/store/keys.ts',
    'api/cli/store/password.ts',
    'api/cli/store/record-schemas.ts',
    'api/cli/store/rehearse.ts',
    'api/process/serve.ts',
  ]);
});

test('nothing imports a program', (t) => {
  const programs = imports.filter(({ to }) => within(to, ['api/process/main.ts', 'api/cli/entry.ts']));
  t.deepEqual(programs.map(shown), []);
});

/** Groups of nodes that lead to each other. */
function circlesOf(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) circles.push([...path.slice(path.indexOf(node)), node].join(' > '));
    if (done.has(node) || path.includes(node)) return;
    for (const next of arrows.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of arrows.keys()) visit(node, []);
  return circles;
}

const arrowsBetween = (nodeOf: (file: string) => string, among: readonly Import[]) => {
  const arrows = new Map<string, Set<string>>();
  for (const { from, to } of among) {
    if (nodeOf(from) !== nodeOf(to)) arrows.set(nodeOf(from), (arrows.get(nodeOf(from)) ?? new Set()).add(nodeOf(to)));
  }
  return arrows;
};

test('imports of files have no circles, types included', (t) => {
  t.deepEqual(circlesOf(arrowsBetween((file) => file, imports)), []);
});

test('imports among the folders of the engine have no circles', (t) => {
  const inside = imports.filter(({ from, to }) => from.startsWith('engine/') && to.startsWith('engine/'));
  t.true(inside.length > 1_000);
  t.deepEqual(circlesOf(arrowsBetween(dirname, inside)), []);
});

test('every port of the engine is listed in its README, with a reason', (t) => {
  const declared = [...texts].flatMap(([file, text]) =>
    file.startsWith('engine/') ? [...text.matchAll(/\binterface (\w+Port)\b/g)].map(([, name]) => name) : [],
  );
  const readme = readFileSync(join(root, 'engine/README.md'), 'utf8');
  const listed = [...readme.matchAll(/^\| `(\w+Port)` +\| \S/gm)].map(([, name]) => name);
  t.true(listed.length > 0);
  t.deepEqual(declared.sort(), listed.sort());
});

test('every import leads to a file', (t) => {
  t.deepEqual(imports.filter(({ to }) => !texts.has(to) && !scripts.has(to)).map(shown), []);
});

test('no file has more than 400 lines', (t) => {
  const lines = (text: string) => text.split('\n').length - 1;
  t.deepEqual(
    [...texts].filter(([, text]) => lines(text) > 400).map(([file]) => file),
    [],
  );
});

/** Suppressions that would hide errors from the type checker, and literals in literals, which hide excess properties from it. */
const rejected = [
  /\.\.\.\{/,
  /:\s*any\s*[;,)=|&[]/,
  /\bas any\b/,
  /<any\b/,
  /@ts-ignore/,
  /@ts-nocheck/,
  /noExplicitAny/,
];
const code = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
    .replace(/\/\/.*$/gm, '');
/** For rules about comments. */
const whole = /@ts-|noExplicitAny/;

for (const pattern of rejected) {
  test(`no file contains ${pattern.source}`, (t) => {
    const found = [...texts].filter(([, text]) => {
      const looked = whole.test(pattern.source) ? text : code(text);
      return pattern.test(looked);
    });
    t.deepEqual(
      found.map(([file]) => file),
      [],
    );
  });
}

test('only the validator sets up Ajv', (t) => {
  const found = [...texts].filter(([, text]) => /\bnew Ajv/.test(code(text)));
  t.deepEqual(
    found.map(([file]) => file),
    ['engine/platform/validation/validator.ts'],
  );
});

test('the folders for drop-ins hold definitions only', (t) => {
  const found = ['graphs', 'tasks'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  );
  const names = found.map(({ name }) => name).filter((name) => !name.endsWith('.md'));
  t.true(names.length > 40);
  t.deepEqual(
    names.filter((name) => !/^[a-z][a-z0-9-]*\.ts$/.test(name)),
    [],
  );
});

test('no file has a name that says nothing', (t) => {
  t.deepEqual(
    files.filter((file) => /utils?\b|helper|manager/i.test(basename(file))),
    [],
  );
});

test('no source of the daemon looks for files beside itself, because the built daemon is elsewhere', (t) => {
  const may = ['engine/vocabulary/package-path.ts'];
  const found = [...texts].filter(([, text]) => code(text).includes('import.meta')).map(([file]) => file);
  t.deepEqual(
    found.filter((file) => !may.includes(file)),
    [],
  );
});

/** Folders that have a file for a subject of the engine, by the name of the subject. */
const facets = [
  'engine/api-port/',
  'engine/assembly/',
  'api/routes/',
  'api/views/',
  'api/middleware/',
  'api/cli/commands/',
  'api/cli/store/',
  'graphs/',
  'tasks/',
];
/** Entry points; ports and their adapters; the machine of an actor, and its step. */
const sharedFileNames = ['index.ts', 'port.ts', 'embedded.ts', 'node.ts', 'workflow.ts'];

/** The names that are in more than `most` files. */
function repeated(entries: readonly (readonly [name: string, file: string])[], most = 1): string[] {
  const files = new Map<string, Set<string>>();
  for (const [name, file] of entries) files.set(name, (files.get(name) ?? new Set()).add(file));
  return [...files]
    .filter(([, found]) => found.size > most)
    .map(([name, found]) => `${name}: ${[...found].join(', ')}`);
}

test('no two modules have one file name, except facets of one subject', (t) => {
  const subjects = files.filter((file) => !within(file, facets) && !sharedFileNames.includes(basename(file)));
  t.true(subjects.length > 200);
  t.deepEqual(repeated(subjects.map((file) => [basename(file), file])), []);
});

const exported = [...texts].flatMap(([file, text]) =>
  [
    ...text.matchAll(
      /^export (?:abstract )?(?:const|let|function|async function|class|interface|type|enum)\*? (\w+)/gm,
    ),
  ].map(([, name = '']) => ({ file, name })),
);

test('no two modules export one name', (t) => {
  t.true(exported.length > 800);
  t.deepEqual(repeated(exported.map(({ name, file }) => [name, file])), []);
});

test('no constant has one name in more than three files: a name says what it limits, or is stated once', (t) => {
  const constants = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/^(?:export )?const ([A-Z][A-Z0-9_]*)\b/gm)].map(([, name = '']) => [name, file] as const),
  );
  t.true(constants.length > 500);
  t.deepEqual(repeated(constants, 3), []);
});

test('no constant of the tests has one name in more than three files, except those of the bench', (t) => {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.ts$/.test(name) && !name.startsWith('bench/'),
  );
  const constants = tests.flatMap((file) =>
    [...readFileSync(join(root, 'test', file), 'utf8').matchAll(/^(?:export )?const ([A-Z][A-Z0-9_]*)\b/gm)].map(
      ([, name = '']) => [name, file] as const,
    ),
  );
  t.true(constants.length > 300, `${constants.length}`);
  t.deepEqual(repeated(constants, 3), []);
});

/** Participles and adjectives without an ending of their own; -ed is one for all others. */
const bare =
  /^(?:(?!embed|exceed|feed|need|proceed|seed|shed|speed|succeed)[a-z]+ed|abroad|alive|alone|asleep|astray|awake|away|begun|born|bound|broken|built|caught|certain|changeable|chosen|comparable|current|dead|deeper|differing|distinct|drawn|driven|due|earlier|earliest|empty|equal|existing|failing|final|fitting|following|forbidden|found|full|given|going|gone|got|grown|hanging|heard|held|hidden|hung|idle|invalid|kept|known|lacking|last|lasting|late|later|latest|left|live|lost|made|malformed|meant|misfit|missing|moving|near|new|newest|normal|nullable|old|oldest|other|outdated|overridden|own|paid|plain|precise|printable|quiet|readable|ready|recent|remaining|resting|runnable|running|said|same|seen|sent|shown|shut|silent|spent|storable|stuck|taken|told|undone|unfit|unknown|unreadable|unsafe|unsent|unset|unusable|usual|valid|waiting|weakest|whole|withheld|worn|written|wrong)$/i;

test('no function and no type is a bare participle or adjective: it has a noun, or begins with a verb', (t) => {
  const declared = [...texts].flatMap(([file, text]) =>
    [
      ...text.matchAll(/\bfunction\*? (\w+)/g),
      ...text.matchAll(
        /\b(?:const|let) (\w+) = (?:async )?(?:\w+|(?:<[^>(]*>)?\((?:[^()]|\([^()]*\))*\)(?:: [^=;]+?)?) =>/g,
      ),
      ...text.matchAll(/^ {2}(?:private |static |async |get )*\*?#?(\w+)(?:<[^>]*>)?\([^\n;]*\{$/gm),
      ...text.matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gm),
    ].map(([, name = '']) => ({ file, name })),
  );
  t.true(declared.length > 4_000, `${declared.length}`);
  t.deepEqual(
    declared
      .filter(({ name }) => /^[A-Z]?[a-z]+$/.test(name) && bare.test(name))
      .map(({ file, name }) => `${file}: ${name}`),
    [],
  );
});

/** Words that say nothing about the value that they name. */
const emptyNames = 'found|own|known|left|made|kept|fresh|told|asked|sealed|shown|seen|taken';

/** How the formatter writes declarations of locals, parameters and private fields. */
const localDeclarations = [
  String.raw`\b(?:const|let) (NAME)\b`,
  String.raw`\b(?:const|let|of|for \(const) \[(?:\w+, )*(NAME)\b[^\]]*\]`,
  String.raw`\{[^{}()]*\b\w+: (NAME)\b[^{}()]*\}(?::|\) =>| = | of )`,
  String.raw`#(NAME)\b`,
  String.raw`\bfunction\*? \w+\((?:[^()]*,)?\s*(NAME)\??:`,
  String.raw`\((NAME)(?:\??: [^()]*)?\)(?:: [^=;()]+)? =>`,
].map((form) => new RegExp(form.replace('NAME', emptyNames), 'g'));

/** Places whose names are still to be given. */
const withEmptyNames = [
  'engine/durable/',
  'engine/events/',
  'engine/platform/store/',
  'engine/workflows/requests/',
  'api/auth/',
  'api/http/',
  'api/middleware/',
];

test('no local, parameter or private field is named by a word that says nothing about its value', (t) => {
  const declaredLocals = [...texts].flatMap(([file, text]) =>
    within(file, withEmptyNames)
      ? []
      : localDeclarations.flatMap((form) => [...code(text).matchAll(form)].map(([, name]) => `${file}: ${name}`)),
  );
  t.deepEqual(declaredLocals, []);
});

/** The refused words of `engine/GLOSSARY.md`, as far as the words name nothing else. */
const refusedWords = new Set(
  'lane lanes cell cells todo carrier seed taker waiter mail duty duties peers shelf refusal refuse misfits sealed upkeep teller telling told untold rounds arrivals hung hanging asked'.split(
    ' ',
  ),
);

/** Those that name nothing else even inside a file. Only the names until 0.2 may have them. */
const refusedAnywhere = new Set(
  'lane lanes carrier taker waiter duty duties peers shelf refuse refused refuses refusing refusal refusals misfits upkeep teller untold wake wakes waker waking woken acts weakest candidate candidates'.split(
    ' ',
  ),
);

const wordsOf = (name: string) => name.split(/(?=[A-Z][a-z])|_/).map((word) => word.toLowerCase());

/** Properties, methods, private names and keys of schemas too: what a line declares, as the formatter writes it. */
const declared = [...texts].flatMap(([file, text]) =>
  [
    ...code(text).matchAll(
      /(?:\b(?:const|let|function\*?|class|interface|type|enum)\s+|^\s+(?:(?:readonly|private|static|async|get|set)\s+)*#?)(\w+)(?=[?!]?\s*[:(<={;])/gm,
    ),
  ].map(([, name = '']) => ({ file, name })),
);

/** A violation is no fault: only machines and BMCs have faults. */
const faultsOf = ['engine/hardware/twin/', 'api/cli/demo/', 'api/cli/twin/', 'api/story/'];

test('no exported name has a word that the glossary refuses', (t) => {
  const isFault = ({ file, name }: (typeof exported)[number]) =>
    /fault(?!s?Count)/i.test(name) && !/default/i.test(name) && !within(file, faultsOf);
  const found = exported.filter((each) => wordsOf(each.name).some((word) => refusedWords.has(word)) || isFault(each));
  t.deepEqual(
    found.map(({ file, name }) => `${file}: ${name}`),
    [],
  );
});

test('no declared name has a word that the glossary refuses, except the names until 0.2', (t) => {
  t.true(declared.length > 20_000);
  const found = declared.filter(({ name }) => wordsOf(name).some((word) => refusedAnywhere.has(word)));
  const files = found.filter(({ file }) => file !== 'engine/vocabulary/until-0.2.ts');
  t.deepEqual(
    files.map(({ file, name }) => `${file}: ${name}`),
    [],
  );
});
