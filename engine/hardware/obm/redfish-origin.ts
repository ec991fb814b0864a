/** The origin of a Redfish service, as configs name it. */
import type { JsonObject } from '../../vocabulary/json.ts';

/** @returns undefined if there is neither a valid uri nor a valid host */
export function originIn({ uri, host, port, protocol = 'https' }: JsonObject): string | undefined {
  const hostText = typeof host === 'string' && host.includes(':') ? `[${host}]` : host;
  const url =
    uri ?? (hostText === undefined ? undefined : `${protocol}://${hostText}${port === undefined ? '' : `:${port}`}`);
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined;
}
