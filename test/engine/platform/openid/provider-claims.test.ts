import test from 'ava';
import { bindingsOfGroups, providerUser, roleOfGroups } from '../../../../engine/platform/openid/provider-claims.ts';

const roles = [
  { group: 'storage', role: 'Operator', team: 'storage' },
  { group: 'web', role: 'Administrator', team: 'web', graphs: ['Graph.Power*'] },
  { group: 'site', role: 'ReadOnly' },
  { group: 'storage', role: 'ReadOnly', team: 'web' },
];

test('an entry with a team is no role on the whole site, and each one that fits is a binding', (t) => {
  t.is(roleOfGroups(['storage', 'web'], { roles }), undefined);
  t.is(roleOfGroups(['storage', 'site'], { roles }), 'ReadOnly');
  t.deepEqual(bindingsOfGroups(['storage', 'site'], { roles }), [
    { role: 'Operator', team: 'storage' },
    { role: 'ReadOnly', team: 'web' },
  ]);
  t.deepEqual(bindingsOfGroups(['web'], { roles }), [{ role: 'Administrator', team: 'web', graphs: ['Graph.Power*'] }]);
  t.deepEqual(bindingsOfGroups([], { roles }), []);
});

test('the groups of a user are those that have a role or a binding', (t) => {
  const names = { userClaim: 'sub', groupsClaim: 'groups', roles };
  t.deepEqual(providerUser({ sub: 'ann', groups: ['storage', 'none', 'site'] }, names)?.groups, ['storage', 'site']);
});
