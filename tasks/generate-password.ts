/** Makes up a password for a user of a BMC, for later tasks. Output: `{ user, password }`; the password is encrypted. */
import { defineTask, Type } from 'nodewright/define';
import { randomPassword } from '../engine/hardware/redfish/account-password.ts';

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
  run: async ({ input: { user } }) => ({ user, password: randomPassword(PASSWORD_LENGTH) }),
});
