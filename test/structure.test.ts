/** The shape of the source: which folder may import which, and what no file may contain. The rules are the tables. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { layers } from './support/source/layers.ts';

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
    .filter((name) => name.endsWith('.sh'))
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

/** A file below `of` imports from these places only; and, for their types, from `types`. */
const only: { of: string; from: string[]; types?: string[] }[] = [
  { of: 'engine/define/', from: ['engine/define/'] },
  { of: 'engine/platform/patterns/', from: ['engine/platform/patterns/', 'engine/platform/lib/', 'engine/define/'] },
  { of: 'engine/platform/validation/', from: ['engine/platform/validation/', 'engine/define/'] },
  { of: 'engine/hardware/erase/', from: ['engine/hardware/erase/', 'engine/define/'] },
  { of: 'engine/hardware/install/', from: ['engine/hardware/install/', 'engine/hardware/erase/', 'engine/define/'] },
  { of: 'engine/hardware/redfish/', from: ['engine/hardware/redfish/', 'engine/define/'] },
  { of: 'engine/hardware/rest/', from: ['engine/define/'] },
  // It runs in browsers, so it imports neither the engine nor code of Node.js.
  {
    of: 'api/console/',
    from: ['api/console/', 'api/client/', 'api/auth/rights.ts', 'engine/define/'],
    types: ['api/', 'engine/api-port/index.ts'],
  },
  { of: 'api/client/', from: ['api/client/', 'engine/define/'], types: ['api/routes/', 'api/http/route.ts'] },
  // The authoring kit is imported by its name.
  {
    of: 'tasks/',
    from: ['engine/hardware/erase/', 'engine/hardware/install/', 'engine/hardware/redfish/', 'engine/hardware/rest/'],
  },
  { of: 'graphs/', from: ['engine/hardware/install/', 'engine/hardware/redfish/', 'tasks/'] },
  { of: 'engine/durable/actors/', from: ['engine/define/', 'engine/durable/actors/'] },
  {
    of: 'api/',
    from: [
      ...['api/', 'engine/index.ts', 'engine/api-port/index.ts', 'engine/platform/validation/', 'engine/define/'],
      ...[
        'engine/assembly/authoring.ts',
        'engine/kit/index.ts',
        'engine/platform/config/config.ts',
        'engine/platform/lib/per-minute.ts',
        'engine/platform/lib/pause.ts',
      ],
    ],
    types: ['engine/durable/step/row.ts'],
  },
];

/** A file below `of` imports nothing from these places. */
const never: { of: string; from: string[] }[] = [
  { of: 'engine/', from: ['graphs/', 'tasks/', 'api/'] },
  { of: 'engine/platform/lib/', from: ['engine/'] },
  ...['engine/', 'graphs/', 'tasks/', 'api/'].map((of) => ({ of, from: ['api/process/main.ts', 'api/cli/entry.ts'] })),
];

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
    'api/process/serve.ts',
  ]);
});

const shown = ({ from, to }: Import) => `${from} imports ${to}`;

for (const { of, from, types = [] } of only) {
  test(`${of} imports only from ${[...from, ...types.map((place) => `${place} (types)`)].join(', ')}`, (t) => {
    const own = imports.filter((one) => one.from.startsWith(of));
    t.true(own.length > 0);
    const wrong = own.filter(({ to, typeOnly }) => !within(to, from) && !(typeOnly && within(to, types)));
    t.deepEqual(wrong.map(shown), []);
  });
}

for (const { of, from } of never) {
  test(`${of} imports nothing from ${from.join(', ')}`, (t) => {
    const wrong = imports.filter((one) => one.from.startsWith(of) && within(one.to, from));
    t.deepEqual(wrong.map(shown), []);
  });
}

test('in the engine, imports go down the list of layers', (t) => {
  const layerOf = (file: string) =>
    layers.findIndex(({ places }) =>
      within(
        file,
        places.map((place) => `engine/${place}`),
      ),
    );
  const inside = imports.filter(({ from, to }) => from.startsWith('engine/') && to.startsWith('engine/'));
  t.true(inside.length > 1_000);
  t.deepEqual(inside.filter(({ from }) => layerOf(from) < 0).map(shown), [], 'each file is in a layer');
  t.deepEqual(inside.filter(({ from, to }) => layerOf(to) < layerOf(from)).map(shown), []);
});

test('imports have no cycles, types included', (t) => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' > '));
    if (done.has(file) || path.includes(file)) return;
    for (const { to } of imports.filter(({ from }) => from === file)) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  t.deepEqual(circles, []);
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

/** The groups of more than one. */
function repeated(entries: readonly (readonly [name: string, file: string])[]): string[] {
  const files = new Map<string, Set<string>>();
  for (const [name, file] of entries) files.set(name, (files.get(name) ?? new Set()).add(file));
  return [...files].filter(([, found]) => found.size > 1).map(([name, found]) => `${name}: ${[...found].join(', ')}`);
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

/** The refused words of `engine/GLOSSARY.md`, as far as the words name nothing else. */
const refusedWords = new Set(
  'lane lanes cell cells draft todo carrier seed taker waiter mail duty duties peers shelf refusal refuse fault faults misfits sealed upkeep teller telling told untold rounds arrivals hung hanging asked'.split(
    ' ',
  ),
);

test('no exported name has a word that the glossary refuses', (t) => {
  const words = (name: string) => name.split(/(?=[A-Z][a-z])|_/).map((word) => word.toLowerCase());
  const found = exported.filter(({ name }) => words(name).some((word) => refusedWords.has(word)));
  t.deepEqual(
    found.map(({ file, name }) => `${file}: ${name}`),
    [],
  );
});
