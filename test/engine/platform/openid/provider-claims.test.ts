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

test('a user without a role learns why: no claim, no group that fits, or too many groups for a token', (t) => {
  const names = { userClaim: 'sub', groupsClaim: 'groups', roles };
  const lackIn = (claims: object) => providerUser({ sub: 'ann', ...claims }, names)?.lack;
  t.is(lackIn({ groups: ['site'] }), undefined);
  t.regex(lackIn({}) ?? '', /gives no claim groups/);
  t.regex(lackIn({ groups: ['/site', 'guests'] }) ?? '', /^No group.*: 2\)$/);
  t.regex(lackIn({ groups: [] }) ?? '', /: 0\)$/);
  t.regex(lackIn({ groups: 'guests' }) ?? '', /: 1\)$/);
  // Entra ID, with more than 200 groups: in a token, and in one of the implicit flow.
  t.regex(lackIn({ _claim_names: { groups: 'src1' }, _claim_sources: {} }) ?? '', /too many for a token/);
  t.regex(lackIn({ hasgroups: true }) ?? '', /too many for a token/);
  t.regex(lackIn({ _claim_names: 'groups' }) ?? '', /gives no claim/);
});
