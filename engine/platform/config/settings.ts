/**
 * The configuration at run time. A few keys can be changed, in all daemons at the same time; a change applies until the
 * daemons stop. Keys that are needed at the start (addresses, stores, folders, limits) can be changed only in the file.
 */

import { redact } from '../../vocabulary/conceal.ts';
import { REDACTED } from '../../vocabulary/encrypted-values.ts';
import { isLimited } from '../../vocabulary/env-limits.ts';
import type { Channel } from '../queue/port.ts';
import type { ChangeableConfig, Config } from './config.ts';

export class Settings {
  #config: Config;
  readonly #changes: Channel<ChangeableConfig>;
  readonly #listeners = new Set<(config: Config) => void>();
  #unsubscribe: (() => Promise<void>) | undefined;

  /** @param changes a channel to all processes, including this one */
  constructor(config: Config, changes: Channel<ChangeableConfig>) {
    this.#config = config;
    this.#changes = changes;
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#changes.subscribe((change) => this.#take(change));
  }

  get config(): Config {
    return this.#config;
  }

  /** @param listener called after each change */
  listen(listener: (config: Config) => void): void {
    this.#listeners.add(listener);
  }

  /** Records the actual ports, because an endpoint may use any free port, and nodes need its number. */
  notePorts(ports: readonly number[]): void {
    const { httpEndpoints } = this.#config;
    const listening = httpEndpoints.map((endpoint, at) => ({ ...endpoint, port: ports[at] ?? endpoint.port }));
    this.#config = Object.freeze({ ...this.#config, httpEndpoints: listening });
  }

  /** @param change already validated */
  async change(change: ChangeableConfig): Promise<void> {
    await this.#changes.publish(change);
    // Applied immediately, without waiting for the message to return.
    this.#take(change);
  }

  #take({ log, ...change }: ChangeableConfig): void {
    this.#config = Object.freeze({ ...this.#config, ...change, log: { ...this.#config.log, ...log } });
    for (const listener of this.#listeners) listener(this.#config);
  }

  /** Returns the configuration without secrets. */
  shownConfig(): Record<string, unknown> {
    const { role: _, suspend: __, mongodb, redis, amqp, ...rest } = this.#config;
    const urls = Object.entries({ mongodb, redis, amqp }).map(([key, url]) => [key, url && withoutPassword(url)]);
    const env = Object.fromEntries(
      Object.entries(rest.env).map(([name, value]) => [name, isLimited(value) ? { ...value, value: REDACTED } : value]),
    );
    const all = redact([], { ...Object.fromEntries(urls), ...rest, env }) as Record<string, unknown>;
    // This key is named like a secret but holds none.
    return definedValues({ ...all, authTokenExpireIn: rest.authTokenExpireIn });
  }

  async close(): Promise<void> {
    await this.#unsubscribe?.();
  }
}

const definedValues = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** A pattern, because URLs with several hosts, as MongoDB allows, cannot be parsed as URLs. */
const withoutPassword = (url: string): string =>
  url.replace(/^([^:]+:\/\/)[^@/]*@/, '$1REDACTED@').replace(/\?.*$/, '');
