/** Creates an account of a BMC, or gives it its password again: a repeat changes nothing else. */

import { accountsOf } from './account-collection.ts';
import { type Ask, linkIn } from './service.ts';

/** @throws ObmError; the BMC rejects the password, or has no place for an account */
export async function createRedfishAccount(ask: Ask, user: string, password: string): Promise<void> {
  const { path: collection, accounts } = await accountsOf(ask);
  const account = { UserName: user, Password: password, RoleId: 'Administrator', Enabled: true };
  const { UserName: _, ...changes } = account;
  const path = linkIn(accounts.find(({ UserName: name }) => name === user));
  if (path !== undefined) await ask({ method: 'PATCH', path, body: changes });
  else {
    // BMCs of Dell, Lenovo and others have a fixed number of accounts; those without a name are free.
    const free = linkIn(accounts.find(({ UserName: name, Id: id }) => name === '' && Number(id) > 1));
    if (free === undefined) await ask({ method: 'POST', path: collection, body: account });
    else await ask({ method: 'PATCH', path: free, body: account });
  }
}

/**
 * The same in band. The first LAN channel that answers gets the account, in its own place or the first free one after those of
 * the vendor.
 * @param user, password of characters that a shell does not interpret
 */
export const accountScript = (user: string, password: string): string => `
user='${user}'
for channel in 1 2 3 4 5 6 7 8; do ipmitool lan print "$channel" >/dev/null 2>&1 && break; done
list=$(ipmitool -c user list "$channel") || exit 1
id=$(printf '%s\\n' "$list" | awk -F, -v user="$user" '$2 == user { print $1; exit }')
[ -n "$id" ] || id=$(printf '%s\\n' "$list" | awk -F, '$1 > 2 && ($2 == "" || $2 == "(Empty User)") { print $1; exit }')
[ -n "$id" ] || { echo 'the BMC has no free place for a user' >&2; exit 1; }
ipmitool user set name "$id" "$user" || exit 1
# The password is in no list of processes.
printf 'user set password %s %s 16\\n' "$id" '${password}' | ipmitool exec /dev/stdin >/dev/null || exit 1
ipmitool channel setaccess "$channel" "$id" callin=off link=off ipmi=on privilege=4 || exit 1
ipmitool user enable "$id"`;
