import test from 'ava';
import fc from 'fast-check';
import { dottedPath, keyOfPart, pathOfKey, pointerPart } from '../../../engine/vocabulary/json-pointer.ts';

test('a key is the same after it was a part of a pointer', (t) => {
  fc.assert(fc.property(fc.string(), (key) => keyOfPart(pointerPart(key)) === key));
  t.is(pointerPart('a/b~c'), 'a~1b~0c');
});

test('a dotted path has the keys of its pointer, joined by dots', (t) => {
  const keys = fc.array(fc.oneof(fc.string(), fc.constantFrom('~', '/', '~1', '~01', 'a.b', '')), { minLength: 1 });
  fc.assert(
    fc.property(keys, (path) => dottedPath(path.map((key) => `/${pointerPart(key)}`).join('')) === path.join('.')),
  );
  t.is(dottedPath(''), '');
  t.is(pathOfKey(dottedPath(''), 'a'), 'a');
  t.is(pathOfKey(dottedPath('/disks/0'), 'a'), 'disks.0.a');
});
