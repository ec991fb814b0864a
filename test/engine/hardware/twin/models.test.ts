/** Models of servers, which are files of users too. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { ModelFileError, readModel, shippedModels } from '../../../../engine/hardware/twin/read-model.ts';
import { packagePath } from '../../../../engine/vocabulary/package-path.ts';

const FILE = 'engine/hardware/twin/models/dell-r650.json';
const text = readFileSync(packagePath(FILE), 'utf8');
const lineOf = (part: string) => text.slice(0, text.indexOf(part)).split('\n').length;

test('five models ship, of five vendors, with drives of every kind and two interfaces at least', (t) => {
  const models = [...shippedModels().values()];
  t.deepEqual(models.map(({ vendor }) => vendor).sort(), ['dell', 'hpe', 'lenovo', 'open', 'supermicro']);
  t.true(models.every(({ nics }) => nics.length >= 2));
  const kinds = new Set(models.flatMap(({ drives }) => drives.map(({ kind }) => kind)));
  t.deepEqual([...kinds].sort(), ['nvme', 'sas', 'sata']);
  t.true([...shippedModels()].every(([name, model]) => name === model.name));
});

const mistakes: readonly [title: string, before: string, after: string, problem: string][] = [
  ['a word that is none of the choices', '"vendor": "dell"', '"vendor": "acme"', 'vendor must be one of dell, hpe'],
  ['an unknown key', '"sku":', '"scu":', ": 'scu' is not known; did you mean 'sku'?"],
  ['a wrong type', '"sessionLimit": 8', '"sessionLimit": "8"', 'bmc.sessionLimit must be integer'],
  ['two drives of one name', '"name": "sdb"', '"name": "sda"', 'drives has sda twice'],
  ['a component with the id of the BIOS', '"id": "CPLD"', '"id": "BIOS"', 'firmware has BIOS twice'],
  ['a BIOS attribute without its value', '"value": "Uefi"', '"value": "Usual"', 'BootMode has the value Usual'],
  ['no JSON', '"sku":', 'sku:', 'found no JSON'],
];

for (const [title, before, after, problem] of mistakes) {
  test(`${title} is refused with the file and the line`, (t) => {
    const error = t.throws(() => readModel(text.replace(before, after), 'mine.json'), { instanceOf: ModelFileError });
    t.regex(error?.message ?? '', new RegExp(`^mine\\.json:${lineOf(before)}: `));
    t.true(error?.message.includes(problem), error?.message);
  });
}

test('a missing key is refused at its object, and a model that does not boot at its interfaces', (t) => {
  const { sku: _, ...less } = JSON.parse(text) as Record<string, unknown>;
  t.throws(() => readModel(JSON.stringify(less, null, 2), 'a.json'), { message: 'a.json:1: sku is missing' });
  const deaf = text.replaceAll('"boots": true', '"boots": false');
  t.throws(() => readModel(deaf, 'a.json'), {
    message: new RegExp(`^a\\.json:${lineOf('"nics"')}: none of nics boots`),
  });
  t.throws(() => readModel('', 'a.json'), { message: /^a\.json:1: found no JSON/ });
});
