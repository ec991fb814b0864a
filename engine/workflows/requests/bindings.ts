/**
 * Values for `{{ }}` that are fixed when a workflow starts: the address of the daemon for nodes, `env`, and the node's
 * SKU.
 */

import type { OpenSkus } from '../../inventory/skus/skus.ts';
import type { StoredSku } from '../../inventory/skus/stored-sku.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Settings } from '../../platform/config/settings.ts';
import type { Vault } from '../../platform/secrets/vault.ts';

/** Addresses that mean "every interface": nodes cannot connect to them. */
const ANY = new Set(['0.0.0.0', '::']);

export class Bindings {
  readonly #settings: Pick<Settings, 'config'>;
  readonly #skus: Pick<OpenSkus, 'of' | 'skuOf'>;
  readonly #vault: Pick<Vault, 'limitEnv'>;

  constructor(
    settings: Pick<Settings, 'config'>,
    skus: Pick<OpenSkus, 'of' | 'skuOf'>,
    vault: Pick<Vault, 'limitEnv'>,
  ) {
    this.#settings = settings;
    this.#skus = skus;
    this.#vault = vault;
  }

  /** Returns the values for a launch on the node. */
  async atLaunch(node: string | null) {
    return this.#of(await this.#skus.of(node));
  }

  /** Returns the values for a file that the node fetches. */
  async forFile(node: string | null) {
    return this.#of(node === null ? undefined : await this.#skus.skuOf(node));
  }

  /** The config of the SKU's pack is merged over the SKU's own fields, and over `env` in the configuration. */
  #of(sku: StoredSku | undefined) {
    const { config } = this.#settings;
    const base = southboundUrl(config);
    const skuConfig = sku?.pack?.skuConfig ?? {};
    return {
      server: { address: base.hostname, port: Number(base.port) },
      api: { server: base.origin, base: `${base.origin}/api/current` },
      file: { server: base.origin },
      env: { ...this.#vault.limitEnv(config.env), ...skuConfig },
      sku: { ...(sku && fieldsOf(sku)), ...skuConfig },
    };
  }
}

/** Without the rules, which templates do not need, and the pack, whose values have other names. */
const fieldsOf = ({ rules: _rules, pack: _pack, packInfo: _info, ...fields }: StoredSku) => fields;

function southboundUrl({ httpEndpoints, servicePublicIp }: Config): URL {
  const endpoint = httpEndpoints.find(({ routers }) => routers === 'southbound-api-router') ?? httpEndpoints[0];
  const address = endpoint?.address ?? '127.0.0.1';
  const host = servicePublicIp ?? (ANY.has(address) ? '127.0.0.1' : address);
  const bracketed = host.includes(':') ? `[${host}]` : host;
  return new URL(`${endpoint?.httpsEnabled ? 'https' : 'http'}://${bracketed}:${endpoint?.port ?? 9080}`);
}
