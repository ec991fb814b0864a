/** The script that makes an account of the BMC in band. IPMI and Redfish of a BMC share its accounts. */
import type { Machine } from '../machine/twin-machine.ts';
import { type CommandAnswer, type CommandRun, commandAnswer } from './command-run.ts';

/** @returns undefined: the command is another one */
export function accountIn(command: string): { user: string; password: string } | undefined {
  const [, user] = /^user='([^']+)'$/m.exec(command) ?? [];
  const [, password] = /^printf 'user set password .*' "\$id" '([^']+)' \|/m.exec(command) ?? [];
  return user === undefined || password === undefined ? undefined : { user, password };
}

export const answerAccount = ({ machine, command }: CommandRun): Promise<CommandAnswer> =>
  setAccount(machine, accountIn(command) as { user: string; password: string });

/** Makes the account, or gives it the password. */
export async function setAccount(
  machine: Machine,
  { user, password }: { user: string; password: string },
): Promise<CommandAnswer> {
  const { bmc } = machine.state;
  const account = bmc.accounts.find((each) => each.user === user);
  if (account === undefined) {
    bmc.lastId += 1;
    bmc.accounts.push({ id: String(bmc.lastId), user, password, role: 'Administrator', isEnabled: true });
  } else Object.assign(account, { password, isEnabled: true });
  const what = account === undefined ? `create ${user}` : `change ${user}: Password`;
  await machine.save({ kind: 'account', what, outcome: 'done', by: 'agent' });
  return commandAnswer('');
}
