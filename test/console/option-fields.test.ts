/** The fields of a form for the options of a graph. */
import test from 'ava';
import {
  controlOf,
  enteredValue,
  exampleOf,
  labelFields,
  type OptionField,
  optionFields,
  optionsOfText,
  rejectionsOf,
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
