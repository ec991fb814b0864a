/** The provider of OpenID Connect of this daemon, and where it sends browsers to. */
import type { Engine, Provider } from '../../engine/api-port/index.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import type { Call } from '../http/route.ts';

/** @throws NodewrightError NOT_FOUND */
export function providerOf({ provider }: Engine): Provider {
  if (provider !== undefined) return provider;
  throw new NodewrightError(
    'NOT_FOUND',
    'This daemon has no provider of OpenID Connect; configure one by the key oidc',
  );
}

/** @throws NodewrightError INVALID */
export function redirectUriOf({ config }: Provider, { origin }: Pick<Call, 'origin'>): string {
  if (config.redirectUri === undefined && origin === undefined) throw invalidInput('Host', 'is missing');
  return config.redirectUri ?? `${origin}/ui/login`;
}
