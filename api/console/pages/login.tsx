/** Asks for a name and a password, or leads to the provider. The address stays, so that a link leads to its page after the login. */
import { logIn } from '../data/current-user.ts';
import { useLoginMethods } from '../data/login-methods.ts';
import { Credentials } from '../parts/credentials.tsx';
import { usePartTitle } from '../parts/heading.tsx';
import { ProviderButton } from '../parts/provider-button.tsx';

export function Login() {
  usePartTitle('Log in');
  const { password = true, oidc } = useLoginMethods().value ?? {};
  return (
    <Credentials
      title="nodewright"
      action="Log in"
      password="current-password"
      submit={logIn}
      takesPassword={password}
      more={oidc && <ProviderButton issuer={oidc.issuer} />}
    />
  );
}
