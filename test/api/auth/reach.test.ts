import test from 'ava';
import fc from 'fast-check';
import { scopeOf } from '../../../api/auth/reach.ts';
import { matchesName } from '../../../engine/vocabulary/graph-patterns.ts';

const escaped = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');

test('a pattern matches as the regular expression in which each star is .*', (t) => {
  const word = fc.array(fc.constantFrom('a', 'b', '.', '*'), { maxLength: 8 }).map((parts) => parts.join(''));
  const name = fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(word, name, (pattern, text) => {
      const expression = new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`);
      return matchesName(pattern, text) === expression.test(text);
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('a route is denied to members unless it says how it is limited', (t) => {
  const identity = {
    privileges: [],
    personal: ['Login'],
    grants: [{ team: 'a', role: 'ReadOnly', privileges: ['Read', 'Login'] }],
  } as const;
  const route = { resourceGroup: 'components', method: 'GET' } as const;
  t.throws(() => scopeOf(identity, route), { code: 'FORBIDDEN' });
  t.throws(() => scopeOf(identity, { ...route, method: 'POST', reach: { by: 'node' } }), { code: 'FORBIDDEN' });
  t.like(scopeOf(identity, { ...route, reach: { by: 'node' } }), { teams: ['a'], visible: ['a'] });
  t.throws(() => scopeOf(identity, { resourceGroup: 'tickets', method: 'PUT' }), { code: 'FORBIDDEN' });
  t.is(scopeOf(identity, { resourceGroup: 'login', method: 'GET' }), undefined);
  t.is(scopeOf({ ...identity, privileges: ['Read'] }, route), undefined);
});
