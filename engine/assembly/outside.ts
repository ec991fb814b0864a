/** Where an engine reaches outside its process. A virtual world (`virtual/`) has other parts in their place. */
import type { Logger } from 'pino';
import { type CodeWatch, Watchdog, type WatchdogOptions } from '../durable/watchdog/watchdog.ts';
import { openBroker } from '../events/broker/amqp.ts';
import type { Broker } from '../events/broker/port.ts';
import type { AuditLog } from '../operations/audit/audit-log.ts';
import type { Config } from '../platform/config/config.ts';
import { openAdapters } from './adapters.ts';
import { type OpenDefinitions, openDefinitions } from './definitions.ts';
import type { Foundation } from './foundation.ts';
import type { LateLinks } from './late-calls.ts';
import { openLocalPasswords } from './users.ts';

export interface Outside {
  adapters: typeof openAdapters;
  /** @returns undefined: there is none */
  broker(config: Config, log: Logger): Promise<Broker | undefined>;
  watchdog(options: WatchdogOptions): CodeWatch;
  definitions(foundation: Foundation, lateLinks: LateLinks): Promise<OpenDefinitions>;
  localPasswords(foundation: Foundation, audit: AuditLog): Promise<{ close(): Promise<void> }>;
}

/** The store, the services and the files of this machine. */
export const thisMachine: Outside = {
  adapters: openAdapters,
  broker: async ({ amqp }, log) => (amqp === undefined ? undefined : openBroker(amqp, log)),
  watchdog: (options) => new Watchdog(options),
  definitions: openDefinitions,
  localPasswords: openLocalPasswords,
};
