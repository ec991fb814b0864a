/** The user of the commands. */
import { objectIn } from '../../engine/vocabulary/json.ts';
import { addressOf, type ConnectionOptions, chosenContext } from './connection.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/** @throws CommandError with an API token of the environment, which does not have the name of its user */
export function ownName(options: ConnectionOptions): string {
  const { token } = addressOf(options);
  const context = chosenContext(options);
  const user = token !== undefined && token === context?.token ? context.user : claimedUser(token);
  if (user !== undefined) return user;
  throw new CommandError('found no user for this token; --mine needs a context: nw login', EXIT.usage);
}

/** The user that a login token claims. The daemon verifies the token, not this command. */
function claimedUser(token = ''): string | undefined {
  const [, claims = ''] = token.split('.');
  try {
    const { user } = objectIn(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')));
    return typeof user === 'string' ? user : undefined;
  } catch {
    return undefined;
  }
}
