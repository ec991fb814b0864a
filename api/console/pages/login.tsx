/** Asks for a name and a password. The address stays, so that a link leads to its page after the login. */
import { logIn } from '../data/current-user.ts';
import { Credentials } from '../parts/credentials.tsx';

export function Login() {
  return <Credentials title="nodewright" action="Log in" password="current-password" submit={logIn} />;
}
