/**
 * The configuration while the daemon runs. A few keys may be changed then, in all daemons at once; the change holds
 * until they stop. What a start needs (addresses, stores, folders, limits) is for the file.
 */
import type { Changeable, Config } from './config.ts';
import { redact } from './define/conceal.ts';
import type { Channel } from './queue/port.ts';

export class Settings {
  #config: Config;
  readonly #changes: Channel<Changeable>;
  readonly #listeners = new Set<(config: Config) => void>();
  #unsubscribe: (() => Promise<void>) | undefined;

  /** @param changes tells all processes, this one too */
  constructor(config: Config, changes: Channel<Changeable>) {
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

  /** An endpoint may have been given any free port; nodes have to be told which. */
  opened(ports: readonly number[]): void {
    const { httpEndpoints } = this.#config;
    const listening = httpEndpoints.map((endpoint, at) => ({ ...endpoint, port: ports[at] ?? endpoint.port }));
    this.#config = Object.freeze({ ...this.#config, httpEndpoints: listening });
  }

  /** @param change checked already */
  async change(change: Changeable): Promise<void> {
    await this.#changes.publish(change);
    // Not only when the word has come back.
    this.#take(change);
  }

  #take({ log, ...change }: Changeable): void {
    this.#config = Object.freeze({ ...this.#config, ...change, log: { ...this.#config.log, ...log } });
    for (const listener of this.#listeners) listener(this.#config);
  }

  /** As it may be shown: without what is secret in it. */
  shown(): Record<string, unknown> {
    const { role: _, hold: __, mongodb, redis, amqp, ...rest } = this.#config;
    const urls = Object.entries({ mongodb, redis, amqp }).map(([key, url]) => [key, url && withoutPassword(url)]);
    const all = redact([], { ...Object.fromEntries(urls), ...rest }) as Record<string, unknown>;
    // Its own keys speak of secrets and hold none.
    return defined({ ...all, authTokenExpireIn: rest.authTokenExpireIn });
  }

  async close(): Promise<void> {
    await this.#unsubscribe?.();
  }
}

const defined = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Several hosts, as MongoDB's URLs may have, are no URL to the parser. */
const withoutPassword = (url: string): string =>
  url.replace(/^([^:]+:\/\/)[^@/]*@/, '$1REDACTED@').replace(/\?.*$/, '');
