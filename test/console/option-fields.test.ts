/** The fields of a form for the options of a graph, and its examples in them. */
import test from 'ava';
import { enteredExample, examplesIn } from '../../api/client/option-examples.ts';
import {
  controlOf,
  enteredValue,
  exampleOf,
  labelFields,
  type OptionField,
  optionFields,
  optionsOfText,
  rejectionsOf,
  textOfValue,
} from '../../api/client/option-fields.ts';

const settings = { type: 'array', items: { type: 'object', properties: { disks: { type: 'array', items: {} } } } };
const schemas = new Map<string, Record<string, unknown>>([
  ['Task.Check', { properties: { settings, level: { type: 'integer' } } }],
  ['Task.Erase', { required: ['settings', 'tool'], properties: { settings, tool: { enum: ['scrub', 'hdparm'] } } }],
  ['Task.Sleep', { required: ['level'], properties: { level: { type: 'string' } } }],
]);
const tasks = [
  { label: 'check', taskName: 'Task.Check', options: {} },
  { label: 'erase', taskName: 'Task.Erase', options: { tool: 'scrub' } },
  { label: 'sleep', taskName: 'Task.Sleep', options: {} },
  { label: 'other', taskName: 'Task.Unknown', options: {} },
];
const named = (fields: readonly OptionField[]) =>
  fields.map(({ target, key, isRequired }) => `${target}.${key}${isRequired ? '!' : ''}`);

test('tasks that have an option of one schema share a field; different schemas have fields of their own', (t) => {
  t.deepEqual(named(optionFields(tasks, schemas)), [
    'defaults.settings!',
    'sleep.level!',
    'check.level',
    'defaults.tool',
  ]);
});

test('each task has all of its options for itself, and a task without a schema none', (t) => {
  const fields = [...labelFields(tasks, schemas)].map(([label, own]) => [label, own.length]);
  t.deepEqual(fields, [
    ['check', 2],
    ['erase', 2],
    ['sleep', 1],
    ['other', 0],
  ]);
});

test('a required option that the graph sets is not asked for, and its value is shown', (t) => {
  const tool = optionFields(tasks, schemas).find(({ key }) => key === 'tool');
  t.is(tool?.isRequired, false);
  t.is(exampleOf(tool as OptionField), 'scrub');
});

test('values that tasks have differently are not shown as the value of all', (t) => {
  const two = [
    { label: 'a', taskName: 'Task.Sleep', options: { level: '1' } },
    { label: 'b', taskName: 'Task.Sleep', options: { level: '2' } },
  ];
  t.deepEqual(
    optionFields(two, schemas).map(({ target, standard }) => [target, standard]),
    [['defaults', undefined]],
  );
});

test('a schema determines the control, and JSON is the last resort', (t) => {
  t.is(controlOf({ type: 'boolean' }).kind, 'choice');
  t.is(controlOf({ type: 'string', enum: ['a'] }).kind, 'choice');
  t.is(controlOf({ type: 'integer' }).kind, 'number');
  t.is(controlOf({ type: 'string' }).kind, 'text');
  t.is(controlOf({ type: 'array', items: { type: 'string' } }).kind, 'lines');
  t.is(controlOf(settings).kind, 'json');
  t.is(controlOf({}).kind, 'json');
});

test('a text becomes the value that the schema means; a template stays a text', (t) => {
  t.is(enteredValue({ type: 'boolean' }, 'false'), false);
  t.is(enteredValue({ enum: [1, 2] }, '2'), 2);
  t.is(enteredValue({ type: 'integer' }, '12'), 12);
  t.is(enteredValue({ type: 'integer' }, 'twelve'), 'twelve');
  t.is(enteredValue({ type: 'integer' }, '{{ options.a }}'), '{{ options.a }}');
  t.is(enteredValue({ type: 'string' }, '12'), '12');
  t.deepEqual(enteredValue({ type: 'array', items: { type: 'string' } }, 'a\n\n b \n'), ['a', 'b']);
  t.deepEqual(enteredValue(settings, '[{"disks":["sda"]}]'), [{ disks: ['sda'] }]);
  t.throws(() => enteredValue(settings, '[{'), { instanceOf: SyntaxError });
});

test('JSON without an example shows its shape', (t) => {
  const [field] = optionFields(tasks, schemas);
  t.is(exampleOf(field as OptionField), '[{"disks":[{}]}]');
});

test('a rejection belongs to the field whose value, or a part of it, is meant', (t) => {
  const field = optionFields(tasks, schemas)[0] as OptionField;
  const rejection = (path: string) => ({ path, message: '' });
  const paths = ['options.erase.settings', 'options.check.settings.0.disks', 'options.erase.settingsMore', 'node'];
  t.deepEqual(
    rejectionsOf(field, paths.map(rejection)).map(({ path }) => path),
    paths.slice(0, 2),
  );
});

test('options as JSON are objects by label', (t) => {
  t.deepEqual(optionsOfText('{ "defaults": { "a": 1 } }'), { defaults: { a: 1 } });
  for (const wrong of ['[]', '{ "a": 1 }', '3', '{']) t.throws(() => optionsOfText(wrong));
});

test('the text of any value is read as that value', (t) => {
  const values: [Record<string, unknown>, unknown][] = [
    [{ type: 'string' }, 'sda'],
    [{ type: 'integer' }, 600],
    [{ enum: ['OnReset', 'Immediate'] }, 'OnReset'],
    [{ type: 'boolean' }, false],
    [{ type: 'array', items: { type: 'string' } }, ['BIOS', 'BMC']],
    [settings, [{ disks: ['sda'] }]],
    [{ type: 'object' }, { BootMode: 'Uefi' }],
    [{ type: 'object' }, '{{ context.attributes }}'],
  ];
  for (const [schema, value] of values) t.deepEqual(enteredValue(schema, textOfValue(schema, value)), value);
});

test('an example of the graph is entered into the fields, for one task or for all, and the rest stays JSON', (t) => {
  const entered = (example: unknown) => {
    const [read] = examplesIn({ examples: [example] });
    const { entries, others } = enteredExample(tasks, schemas, read ?? {});
    return [entries.map(({ field: { target, key }, text }) => `${target}.${key}=${text}`), others];
  };
  t.deepEqual(entered({ defaults: { settings: [] }, erase: { tool: 'hdparm', bogus: 1 }, x: 'no' }), [
    ['defaults.settings=[]', 'defaults.tool=hdparm'],
    { erase: { bogus: 1 } },
  ]);
  t.deepEqual(entered({ erase: { settings: [{}] } }), [['defaults.settings=[{}]'], {}]);
  const optional = [1, 2].map((n) => ({ label: `sleep-${n}`, taskName: 'Task.Sleep', options: { level: '0' } }));
  const given = (example: Record<string, Record<string, unknown>>) =>
    enteredExample(optional, schemas, example).entries.map(({ field: { target }, text }) => `${target}=${text}`);
  t.deepEqual(given({ 'sleep-1': { level: '3' } }), ['sleep-1=3']);
  t.deepEqual(given({ 'sleep-1': { level: '3' }, 'sleep-2': { level: '4' } }), ['sleep-1=3', 'sleep-2=4']);
  t.deepEqual(given({ 'sleep-1': { level: '3' }, 'sleep-2': { level: '3' } }), ['defaults=3', 'defaults=3']);
});

test('what is no list of examples offers none', (t) => {
  for (const hostile of [undefined, [], { examples: 'x' }, { examples: { 0: {} } }])
    t.deepEqual(examplesIn(hostile), []);
});
