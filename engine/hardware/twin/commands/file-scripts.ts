/**
 * Scripts of RackHD's templates, which a node fetches from the daemon and runs. They are recognized by lines of the text that the
 * daemon has rendered, and the values in it are used: a template that was rendered wrongly does another thing here too.
 */
import type { Machine } from '../machine/twin-machine.ts';
import { setAccount } from './account-script.ts';
import { type CommandAnswer, type CommandRun, commandAnswer, failedWith } from './command-run.ts';
import { storcli } from './storcli.ts';

/** @returns undefined: there is no such file, or the twin does not know the script */
export async function runScript(path: string, run: CommandRun): Promise<CommandAnswer | undefined> {
  const text = run.files.at(path)?.text;
  if (text === undefined) return undefined;
  const [, user] = /^ *ipmitool user set name \$\w+ (\S+)$/m.exec(text) ?? [];
  const [, password] = /^ *ipmitool user set password \$\w+ (\S+)$/m.exec(text) ?? [];
  if (user !== undefined && password !== undefined) return setAccount(run.machine, { user, password });
  const [, users] = /^usernames=\((.*)\)$/m.exec(text) ?? [];
  if (users !== undefined) return removeAccounts(run.machine, users.split(/\s+/));
  return /^path=\S*(?:storcli|perccli)64$/m.test(text) ? makeVolumes(text, run) : undefined;
}

async function removeAccounts(machine: Machine, users: readonly string[]): Promise<CommandAnswer> {
  const { bmc } = machine.state;
  for (const { user } of bmc.accounts.filter((account) => users.includes(account.user))) {
    bmc.accounts = bmc.accounts.filter((account) => account.user !== user);
    await machine.save({ kind: 'account', what: `delete ${user}`, outcome: 'done', by: 'agent' });
  }
  return commandAnswer('');
}

/** Each line that makes a volume, as the script runs it; the first failure does not end the script. */
async function makeVolumes(text: string, run: CommandRun): Promise<CommandAnswer> {
  const controller = /^controller=(\d+)$/m.exec(text)?.[1] ?? '';
  const commands = [...text.matchAll(/^ *\$path (\/c\$controller add vd .*)$/gm)].map(([, words = '']) =>
    words.replace('$controller', controller).split(/\s+/),
  );
  let stdout = '';
  for (const command of commands) stdout += (await storcli(command, run))?.stdout ?? '';
  return commands.length === 0 ? failedWith(0, 'no volumes') : commandAnswer(stdout);
}
