/** Accounts of a BMC and their roles (AccountService). */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { AccountState } from '../machine/machine-state.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { BmcRejection, badRequest } from './bmc-rejection.ts';
import { collectionOf, enabledStatus, linkTo, noContent, ROOT_PATH, resourceOf, senderOf } from './documents.ts';
import { BodyFields } from './fields.ts';
import { LOCKOUT_S, LOCKOUT_THRESHOLD, rolePrivileges } from './logins.ts';

export const ACCOUNT_SERVICE = `${ROOT_PATH}/AccountService`;
const ACCOUNTS = `${ACCOUNT_SERVICE}/Accounts`;
const ROLES = `${ACCOUNT_SERVICE}/Roles`;

const ACCOUNT_LIMIT = 16;
const [SHORTEST, LONGEST] = [8, 40];
const roles = ['Administrator', 'Operator', 'ReadOnly'] as const;

const accountAt = ({ bmc, params }: BmcCall): AccountState | undefined =>
  bmc.accounts.find(({ id }) => id === params.id);

function accountDocument(call: BmcCall): JsonObject {
  const account = accountAt(call);
  if (account === undefined) return {};
  return resourceOf(call, 'ManagerAccount', 'An account', {
    UserName: account.user,
    Password: null,
    RoleId: account.role,
    Enabled: account.isEnabled,
    Locked: call.logins.isLocked(account.user),
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

function userNameIn(fields: BodyFields, { bmc }: BmcCall, target?: AccountState): string {
  const user = fields.text('UserName');
  if (!/^[\w.@-]{1,16}$/.test(user)) throw badRequest('PropertyValueOutOfRange', user.slice(0, 40), 'UserName');
  if (bmc.accounts.some((each) => each.user === user && each !== target))
    throw badRequest('ResourceAlreadyExists', 'ManagerAccount', 'UserName', user);
  return user;
}

const toldChange = (call: BmcCall, what: string) =>
  call.machine.save({ kind: 'account', what, outcome: 'done', by: senderOf(call) });

async function createAccount(call: BmcCall): Promise<BmcReply> {
  const { bmc, body } = call;
  const fields = new BodyFields(body, ['UserName', 'Password', 'RoleId', 'Enabled', 'Locked', 'AccountTypes', 'Name']);
  const created = {
    user: userNameIn(fields, call),
    password: passwordIn(fields),
    role: fields.oneOf('RoleId', roles),
    isEnabled: fields.flagOr('Enabled', true),
  };
  if (bmc.accounts.length >= ACCOUNT_LIMIT) throw badRequest('CreateLimitReachedForResource');
  bmc.lastId += 1;
  const id = String(bmc.lastId);
  bmc.accounts.push({ id, ...created });
  await toldChange(call, `create ${created.user}`);
  const path = `${ACCOUNTS}/${id}`;
  return { status: 201, headers: { Location: path }, body: accountDocument({ ...call, path, params: { id } }) };
}

async function changeAccount(call: BmcCall): Promise<BmcReply> {
  const { account: asking, logins, body } = call;
  const target = accountAt(call);
  if (target === undefined || asking === undefined) throw new BmcRejection(404, 'ResourceMissingAtURI', [call.path]);
  const fields = new BodyFields(body, ['UserName', 'Password', 'RoleId', 'Enabled', 'Locked', 'AccountTypes']);
  const isOnlyPassword = Object.keys(body).every((name) => name === 'Password');
  const mayChange = rolePrivileges[asking.role].includes('ConfigureUsers') || (target === asking && isOnlyPassword);
  if (!mayChange) throw new BmcRejection(403, 'InsufficientPrivilege');
  const next = {
    ...(fields.has('UserName') && { user: userNameIn(fields, call, target) }),
    ...(fields.has('Password') && { password: passwordIn(fields) }),
    ...(fields.has('RoleId') && { role: fields.oneOf('RoleId', roles) }),
    ...(fields.has('Enabled') && { isEnabled: fields.flagOr('Enabled', true) }),
  };
  if (fields.flagOr('Locked', true) === false) logins.unlock(target.user);
  keepsAdministrator(call, { ...target, ...next });
  const before = target.user;
  Object.assign(target, next);
  // The session that changed its own password stays open, as with the BMCs of vendors.
  if (asking !== target || next.isEnabled === false) logins.endAll(before);
  const fieldsChanged = Object.keys(body).filter((name) => !name.startsWith('@'));
  await toldChange(call, `change ${before}: ${fieldsChanged.join(', ')}`);
  return { status: 200, body: accountDocument(call) };
}

/** @throws BmcRejection 400 if no administrator would remain */
function keepsAdministrator({ bmc }: BmcCall, changed: AccountState): void {
  const others = bmc.accounts.filter(({ id }) => id !== changed.id);
  if (![...others, changed].some(({ role, isEnabled }) => isEnabled && role === 'Administrator'))
    throw badRequest('PropertyNotWritable', 'RoleId');
}

async function deleteAccount(call: BmcCall): Promise<BmcReply> {
  const { bmc, logins } = call;
  const target = accountAt(call);
  if (target === undefined) return noContent;
  if (call.account !== undefined && !rolePrivileges[call.account.role].includes('ConfigureUsers'))
    throw new BmcRejection(403, 'InsufficientPrivilege');
  keepsAdministrator(call, { ...target, isEnabled: false });
  bmc.accounts = bmc.accounts.filter((each) => each !== target);
  logins.endAll(target.user);
  await toldChange(call, `delete ${target.user}`);
  return noContent;
}

export const accountRoutes: readonly BmcRoute[] = [
  {
    path: ACCOUNT_SERVICE,
    get: (call) =>
      resourceOf(call, 'AccountService', 'Account service', {
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
    get: (call) =>
      collectionOf(
        call,
        'ManagerAccount',
        call.bmc.accounts.map(({ id }) => id),
      ),
    post: createAccount,
    ledger: 'account',
  },
  {
    path: `${ACCOUNTS}/:id`,
    has: (call) => accountAt(call) !== undefined,
    get: accountDocument,
    // One's own password needs less: the handler decides.
    patch: changeAccount,
    remove: deleteAccount,
    needs: 'ConfigureSelf',
    ledger: 'account',
  },
  { path: ROLES, get: (call) => collectionOf(call, 'Role', roles) },
  {
    path: `${ROLES}/:role`,
    has: ({ params }) => roles.some((role) => role === params.role),
    get: (call) =>
      resourceOf(call, 'Role', 'A role', {
        RoleId: call.params.role,
        IsPredefined: true,
        AssignedPrivileges: rolePrivileges[call.params.role as AccountState['role']],
      }),
  },
];
