/** Makes up a password for a user of a BMC, for later tasks. Output: `{ user, password }`; the password is encrypted. */
import { randomInt } from 'node:crypto';
import { defineTask, Type } from 'nodewright/define';

/** Without look-alikes, and without characters that shells and BMCs treat in a special way. */
const CHARACTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const PASSWORD_LENGTH = 16;

export default defineTask({
  injectableName: 'Task.Generate.Password',
  friendlyName: 'Generate a password',
  recovery: 'idempotent',
  optionsSchema: Type.Object(
    { user: Type.String({ minLength: 1, maxLength: 16, description: 'The user that the password is for.' }) },
    { additionalProperties: false },
  ),
  options: { user: 'monorail' },
  run: async ({ input: { user } }) => ({
    user,
    password: Array.from({ length: PASSWORD_LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join(''),
  }),
});
