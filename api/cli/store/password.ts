/** `nodewright user password NAME` without a token: by the daemon of `NODEWRIGHT_CONFIG` on this machine, or in its store. */

import { readConfig, setLocalPassword } from '../../../engine/index.ts';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import { hashPassword } from '../../auth/passwords.ts';
import { PASSWORD } from '../../views/user.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

export async function setLocal(username: string, password: string): Promise<void> {
  const { minLength: least, maxLength: most } = PASSWORD;
  if (password.length < least || password.length > most) {
    throw new CommandError(
      `found ${countText(password.length, 'character')}, expected ${least} to ${most}`,
      EXIT.usage,
    );
  }
  await setLocalPassword(readConfig(), { username, password: await hashPassword(password) });
}
