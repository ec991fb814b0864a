import test from 'ava';
import fc from 'fast-check';
import { find, rulePath } from '../../../../engine/inventory/skus/paths.ts';

const at = (path: string, catalogs: Record<string, unknown>) => {
  const parsed = rulePath(path);
  if (parsed === undefined) throw new Error(`${path} is not a path`);
  return find(parsed, new Map(Object.entries(catalogs)));
};
const missing = { exists: false, value: undefined };

test('a segment may hold spaces, parentheses and colons', (t) => {
  const catalogs = {
    'ipmi-fru': { 'Builtin FRU Device (ID 0)': { 'Board Mfg': 'DELL' } },
    'snmp-1': { 'ENTITY-MIB::entPhysicalModelName_10': 'N3K' },
  };
  t.is(at('ipmi-fru.Builtin FRU Device (ID 0).Board Mfg', catalogs).value, 'DELL');
  t.is(at('snmp-1.ENTITY-MIB::entPhysicalModelName_10', catalogs).value, 'N3K');
});

test('a number is an index of a list, and a key of an object', (t) => {
  const catalogs = { dmi: { list: [{ size: 1 }, { size: 2 }], 0: 'zero', text: 'abc' } };
  t.is(at('dmi.list.1.size', catalogs).value, 2);
  t.is(at('dmi.0', catalogs).value, 'zero');
  for (const path of ['dmi.list.2', 'dmi.list.01', 'dmi.list.-1', 'dmi.list.length', 'dmi.text.0', 'dmi.text.length']) {
    t.deepEqual(at(path, catalogs), missing, path);
  }
});

test('the source alone is the whole catalog, and the text of one that is a text only', (t) => {
  t.deepEqual(at('dmi', { dmi: { a: 1 } }), { exists: true, value: { a: 1 } });
  t.deepEqual(at('version', { version: { raw: 'Rev: 1' } }), { exists: true, value: 'Rev: 1' });
  t.deepEqual(at('version.raw', { version: { raw: 'Rev: 1' } }), { exists: true, value: 'Rev: 1' });
  t.deepEqual(at('version', { version: { raw: 'Rev: 1', b: 2 } }).value, { raw: 'Rev: 1', b: 2 });
  t.deepEqual(at('bmc', { dmi: { a: 1 } }), missing);
});

test('null is found; inherited properties are not', (t) => {
  t.deepEqual(at('s.a', { s: { a: null } }), { exists: true, value: null });
  for (const key of ['constructor', '__proto__', 'toString']) t.deepEqual(at(`s.${key}`, { s: {} }), missing);
  t.deepEqual(at('s.a.b', { s: { a: null } }), missing);
});

test('an empty segment makes a path invalid', (t) => {
  for (const text of ['', '.', 'a.', '.a', 'a..b']) t.is(rulePath(text), undefined, text);
});

test('any value at keys without dots is found at its path', (t) => {
  const key = fc.string({ minLength: 1 }).filter((text) => !text.includes('.') && text !== '__proto__');
  fc.assert(
    fc.property(fc.array(key, { minLength: 1, maxLength: 5 }), fc.jsonValue(), (keys, value) => {
      const data = keys.reduceRight<unknown>((inner, one) => ({ [one]: inner }), value);
      t.deepEqual(at(`source.${keys.join('.')}`, { source: data }), { exists: true, value });
    }),
  );
});
