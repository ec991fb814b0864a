/** Values for `{{ }}` that are fixed when a workflow starts: where the daemon can be reached by nodes, `env`, and the node's SKU. */
import type { Config } from './config.ts';

/** Addresses that mean "every interface": a node cannot dial them. */
const ANY = new Set(['0.0.0.0', '::']);

/** @param sku gives the fields of a node's SKU; none when it has none */
export const bindings =
  (current: () => Config, sku: (node: string | null) => Promise<Record<string, unknown>>) =>
  async (node: string | null): Promise<Record<string, unknown>> => {
    const config = current();
    const base = southbound(config);
    return {
      server: { address: base.hostname, port: Number(base.port) },
      api: { server: base.origin, base: `${base.origin}/api/current` },
      file: { server: base.origin },
      env: config.env,
      sku: await sku(node),
    };
  };

function southbound({ httpEndpoints, servicePublicIp }: Config): URL {
  const endpoint = httpEndpoints.find(({ routers }) => routers === 'southbound-api-router') ?? httpEndpoints[0];
  const address = endpoint?.address ?? '127.0.0.1';
  const host = servicePublicIp ?? (ANY.has(address) ? '127.0.0.1' : address);
  const bracketed = host.includes(':') ? `[${host}]` : host;
  return new URL(`${endpoint?.httpsEnabled ? 'https' : 'http'}://${bracketed}:${endpoint?.port ?? 9080}`);
}
