/** The services that a foundation opens outside its process. A virtual world (`virtual-world.ts`) has other parts instead. */
import type { Logger } from 'pino';
import { Metrics } from '../durable/telemetry/metrics.ts';
import { type CodeWatch, Watchdog, type WatchdogOptions } from '../durable/watchdog/watchdog.ts';
import type { Broker } from '../events/broker/port.ts';
import type { Config } from '../platform/config/config.ts';
import { openAdapters } from './adapters.ts';

export interface Outside {
  adapters: typeof openAdapters;
  /** @returns undefined: there is none */
  broker(config: Config, log: Logger): Promise<Broker | undefined>;
  watchdog(options: WatchdogOptions): CodeWatch;
  metrics(): Metrics;
}

/** Stores, services and threads as they are configured. */
export const configuredOutside: Outside = {
  adapters: openAdapters,
  broker: async ({ amqp }, log) => {
    if (amqp === undefined) return undefined;
    const { openBroker } = await import('../events/broker/amqp.ts');
    return openBroker(amqp, log);
  },
  watchdog: (options) => new Watchdog(options),
  metrics: () => new Metrics(),
};
