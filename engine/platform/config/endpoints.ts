/** The endpoints of a configuration file, completed and checked against each other. */
import type { Static } from 'typebox';
import type { endpointSchema } from './config-schema.ts';
import { rejectConfig } from './violations.ts';

export interface HttpEndpoint {
  readonly address: string;
  readonly port: number;
  readonly httpsEnabled: boolean;
  /** Absolute paths of PEM files; both or none. */
  readonly httpsCert: string | undefined;
  readonly httpsKey: string | undefined;
  /** PEM file of the authority that signed the certificate, for machines that do not know it. */
  readonly httpsCa: string | undefined;
  readonly proxiesEnabled: boolean;
  readonly authEnabled: boolean;
  /** `health-router`: only in the endpoint of the key `healthEndpoint`. */
  readonly routers: 'northbound-api-router' | 'southbound-api-router' | 'health-router';
}

type EndpointFile = Static<typeof endpointSchema>;

export function readEndpoints(
  source: string,
  endpoints: readonly EndpointFile[],
  inCwd: (path: string) => string,
): HttpEndpoint[] {
  const indexByAddress = new Map<string, number>();
  return endpoints.map((endpoint, index) => {
    const where = `httpEndpoints.${index}`;
    const northbound = endpoint.routers === 'northbound-api-router';
    const { httpsCert, httpsKey, httpsCa, port, address = '127.0.0.1', authEnabled = northbound } = endpoint;
    if (!northbound && authEnabled) {
      rejectConfig(
        source,
        `${where}.authEnabled is true, expected false: nodes that boot from southbound have no token`,
      );
    }
    if ((httpsCert === undefined) !== (httpsKey === undefined)) {
      rejectConfig(source, `${where} has one of httpsCert and httpsKey, expected both or none`);
    }
    if (httpsCa !== undefined && httpsCert === undefined) {
      rejectConfig(
        source,
        `${where} has httpsCa without the httpsCert that it signed; add httpsCert or remove httpsCa`,
      );
    }
    const twin = indexByAddress.get(`${address}:${port}`);
    if (port !== 0 && twin !== undefined) {
      rejectConfig(
        source,
        `${where}.port is ${port} at ${address}, already used by httpEndpoints.${twin}; change one of them`,
      );
    }
    indexByAddress.set(`${address}:${port}`, index);
    return {
      address,
      port,
      httpsEnabled: endpoint.httpsEnabled ?? false,
      httpsCert: httpsCert === undefined ? undefined : inCwd(httpsCert),
      httpsKey: httpsKey === undefined ? undefined : inCwd(httpsKey),
      httpsCa: httpsCa === undefined ? undefined : inCwd(httpsCa),
      proxiesEnabled: endpoint.proxiesEnabled ?? false,
      authEnabled,
      routers: endpoint.routers,
    };
  });
}

const MAX_PORT = 65_535;

/**
 * @param text such as `127.0.0.1:9090` or `[::1]:9090`, already matched against its pattern
 * @param others the endpoints of the process, which use their ports in other processes of the same file too
 */
export function readHealthEndpoint(
  source: string,
  text: string | undefined,
  others: readonly HttpEndpoint[],
): HttpEndpoint | undefined {
  if (text === undefined) return undefined;
  const colon = text.lastIndexOf(':');
  const address = text.slice(0, colon).replace(/^\[|\]$/g, '');
  const port = Number(text.slice(colon + 1));
  if (port > MAX_PORT) rejectConfig(source, `healthEndpoint has the port ${port}, expected 0 to ${MAX_PORT}`);
  const twin = others.findIndex((other) => other.address === address && other.port === port);
  if (port !== 0 && twin !== -1) {
    rejectConfig(source, `healthEndpoint is ${text}, already used by httpEndpoints.${twin}; change one of them`);
  }
  return {
    address,
    port,
    httpsEnabled: false,
    httpsCert: undefined,
    httpsKey: undefined,
    httpsCa: undefined,
    proxiesEnabled: false,
    authEnabled: false,
    routers: 'health-router',
  };
}
