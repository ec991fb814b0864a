/** `nodewright user password NAME` without a token: by the daemon of `NODEWRIGHT_CONFIG` on this machine, or in its store. */
import { readConfig, setLocalPassword } from '../../../engine/index.ts';
import { hashPassword } from '../../auth/passwords.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

/** As the API has it. */
const LENGTH = { least: 6, most: 512 };

export async function setLocal(username: string, password: string): Promise<void> {
  const { least, most } = LENGTH;
  if (password.length < least || password.length > most) {
    throw new CommandError(`found ${password.length} characters, expected ${least} to ${most}`, EXIT.usage);
  }
  await setLocalPassword(readConfig(), { username, password: await hashPassword(password) });
}
