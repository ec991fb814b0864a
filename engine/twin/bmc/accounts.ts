/** Accounts of a BMC and their roles (AccountService). */
import type { JsonObject } from '../../vocabulary/json.ts';
import type { AccountState } from '../machine-state.ts';
import type { BmcAsked, BmcRoute, BmcSaid } from './asked.ts';
import { collectionOf, enabledStatus, linkTo, noContent, ROOT_PATH, resourceOf, senderOf } from './documents.ts';
import { BodyFields } from './fields.ts';
import { LOCKOUT_S, LOCKOUT_THRESHOLD, rolePrivileges } from './logins.ts';
import { BmcRefusal, badRequest } from './refusals.ts';

export const ACCOUNT_SERVICE = `${ROOT_PATH}/AccountService`;
const ACCOUNTS = `${ACCOUNT_SERVICE}/Accounts`;
const ROLES = `${ACCOUNT_SERVICE}/Roles`;

const ACCOUNT_LIMIT = 16;
const [SHORTEST, LONGEST] = [8, 40];
const roles = ['Administrator', 'Operator', 'ReadOnly'] as const;

const accountAt = ({ bmc, params }: BmcAsked): AccountState | undefined =>
  bmc.accounts.find(({ id }) => id === params.id);

function accountDocument(asked: BmcAsked): JsonObject {
  const account = accountAt(asked);
  if (account === undefined) return {};
  return resourceOf(asked, 'ManagerAccount', 'An account', {
    UserName: account.user,
    Password: null,
    RoleId: account.role,
    Enabled: account.isEnabled,
    Locked: asked.logins.isLocked(account.user),
    PasswordChangeRequired: false,
    AccountTypes: ['Redfish'],
    Links: { Role: linkTo(`${ROLES}/${account.role}`) },
  });
}

function passwordIn(fields: BodyFields): string {
  const password = fields.text('Password');
  // Not shown in the error: it may be a good one with a character too many.
  if (password.length < SHORTEST || password.length > LONGEST)
    throw badRequest('PropertyValueOutOfRange', '******', 'Password');
  return password;
}

function userNameIn(fields: BodyFields, { bmc }: BmcAsked, own?: AccountState): string {
  const user = fields.text('UserName');
  if (!/^[\w.@-]{1,16}$/.test(user)) throw badRequest('PropertyValueOutOfRange', user.slice(0, 40), 'UserName');
  if (bmc.accounts.some((each) => each.user === user && each !== own))
    throw badRequest('ResourceAlreadyExists', 'ManagerAccount', 'UserName', user);
  return user;
}

const toldChange = (asked: BmcAsked, what: string) =>
  asked.machine.changed({ kind: 'account', what, outcome: 'done', by: senderOf(asked) });

async function createAccount(asked: BmcAsked): Promise<BmcSaid> {
  const { bmc, body } = asked;
  const fields = new BodyFields(body, ['UserName', 'Password', 'RoleId', 'Enabled', 'Locked', 'AccountTypes', 'Name']);
  const made = {
    user: userNameIn(fields, asked),
    password: passwordIn(fields),
    role: fields.oneOf('RoleId', roles),
    isEnabled: fields.flagOr('Enabled', true),
  };
  if (bmc.accounts.length >= ACCOUNT_LIMIT) throw badRequest('CreateLimitReachedForResource');
  bmc.lastId += 1;
  const id = String(bmc.lastId);
  bmc.accounts.push({ id, ...made });
  await toldChange(asked, `create ${made.user}`);
  const path = `${ACCOUNTS}/${id}`;
  return { status: 201, headers: { Location: path }, body: accountDocument({ ...asked, path, params: { id } }) };
}

async function changeAccount(asked: BmcAsked): Promise<BmcSaid> {
  const { account: asking, logins, body } = asked;
  const target = accountAt(asked);
  if (target === undefined || asking === undefined) throw new BmcRefusal(404, 'ResourceMissingAtURI', [asked.path]);
  const fields = new BodyFields(body, ['UserName', 'Password', 'RoleId', 'Enabled', 'Locked', 'AccountTypes']);
  const isOnlyPassword = Object.keys(body).every((name) => name === 'Password');
  const mayChange = rolePrivileges[asking.role].includes('ConfigureUsers') || (target === asking && isOnlyPassword);
  if (!mayChange) throw new BmcRefusal(403, 'InsufficientPrivilege');
  const next = {
    ...(fields.has('UserName') && { user: userNameIn(fields, asked, target) }),
    ...(fields.has('Password') && { password: passwordIn(fields) }),
    ...(fields.has('RoleId') && { role: fields.oneOf('RoleId', roles) }),
    ...(fields.has('Enabled') && { isEnabled: fields.flagOr('Enabled', true) }),
  };
  if (fields.flagOr('Locked', true) === false) logins.unlock(target.user);
  keepsAdministrator(asked, { ...target, ...next });
  const before = target.user;
  Object.assign(target, next);
  // The session that changed its own password goes on, as with the BMCs of vendors.
  if (asking !== target || next.isEnabled === false) logins.endAll(before);
  const fieldsChanged = Object.keys(body).filter((name) => !name.startsWith('@'));
  await toldChange(asked, `change ${before}: ${fieldsChanged.join(', ')}`);
  return { status: 200, body: accountDocument(asked) };
}

/** @throws BmcRefusal 400 if nobody could manage the accounts any more */
function keepsAdministrator({ bmc }: BmcAsked, changed: AccountState): void {
  const others = bmc.accounts.filter(({ id }) => id !== changed.id);
  if (![...others, changed].some(({ role, isEnabled }) => isEnabled && role === 'Administrator'))
    throw badRequest('PropertyNotWritable', 'RoleId');
}

async function deleteAccount(asked: BmcAsked): Promise<BmcSaid> {
  const { bmc, logins } = asked;
  const target = accountAt(asked);
  if (target === undefined) return noContent;
  if (asked.account !== undefined && !rolePrivileges[asked.account.role].includes('ConfigureUsers'))
    throw new BmcRefusal(403, 'InsufficientPrivilege');
  keepsAdministrator(asked, { ...target, isEnabled: false });
  bmc.accounts = bmc.accounts.filter((each) => each !== target);
  logins.endAll(target.user);
  await toldChange(asked, `delete ${target.user}`);
  return noContent;
}

export const accountRoutes: readonly BmcRoute[] = [
  {
    path: ACCOUNT_SERVICE,
    get: (asked) =>
      resourceOf(asked, 'AccountService', 'Account service', {
        ServiceEnabled: true,
        Status: enabledStatus,
        MinPasswordLength: SHORTEST,
        MaxPasswordLength: LONGEST,
        AccountLockoutThreshold: LOCKOUT_THRESHOLD,
        AccountLockoutDuration: LOCKOUT_S,
        AccountLockoutCounterResetAfter: LOCKOUT_S,
        Accounts: linkTo(ACCOUNTS),
        Roles: linkTo(ROLES),
      }),
  },
  {
    path: ACCOUNTS,
    needs: 'ConfigureUsers',
    get: (asked) =>
      collectionOf(
        asked,
        'ManagerAccount',
        asked.bmc.accounts.map(({ id }) => id),
      ),
    post: createAccount,
  },
  {
    path: `${ACCOUNTS}/:id`,
    has: (asked) => accountAt(asked) !== undefined,
    get: accountDocument,
    // One's own password needs less: the handler decides.
    patch: changeAccount,
    remove: deleteAccount,
    needs: 'ConfigureSelf',
  },
  { path: ROLES, get: (asked) => collectionOf(asked, 'Role', roles) },
  {
    path: `${ROLES}/:role`,
    has: ({ params }) => roles.some((role) => role === params.role),
    get: (asked) =>
      resourceOf(asked, 'Role', 'A role', {
        RoleId: asked.params.role,
        IsPredefined: true,
        AssignedPrivileges: rolePrivileges[asked.params.role as AccountState['role']],
      }),
  },
];
