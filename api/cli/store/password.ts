/** `nodewright user password NAME --offline`: sets a password in the store of `NODEWRIGHT_CONFIG`. */
import { readConfig, setStoredPassword } from '../../../engine/index.ts';
import { hashPassword } from '../../auth/passwords.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

/** As the API has it. */
const LENGTH = { least: 6, most: 512 };

export async function setOffline(name: string, password: string): Promise<void> {
  const { least, most } = LENGTH;
  if (password.length < least || password.length > most) {
    throw new CommandError(`found ${password.length} characters, expected ${least} to ${most}`, EXIT.usage);
  }
  await setStoredPassword(readConfig(), name, await hashPassword(password));
}
