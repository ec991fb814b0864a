/** A driver of an obm service, with its own circuit breakers and sessions. */
import type { ObmService } from '../../../engine/define/node.ts';
import { RedfishSessions } from '../../../engine/hardware/obm/bmc-sessions.ts';
import { CircuitBreakers } from '../../../engine/hardware/obm/circuit-breakers.ts';
import type { ObmDriver } from '../../../engine/hardware/obm/driver.ts';
import { drivers } from '../../../engine/hardware/obm/drivers.ts';

interface Limits {
  timeoutMs?: number;
  sessions?: RedfishSessions;
}

export function openDriver(service: ObmService, config: object, limits: Limits = {}): ObmDriver {
  const { timeoutMs = 20_000, sessions = new RedfishSessions(timeoutMs, () => {}) } = limits;
  const breakers = new CircuitBreakers({ concurrency: 2, failures: 3, backoffMs: 60_000, timeoutMs }, Date.now);
  return drivers[service]({ ...config }, { breakers, sessions, timeoutMs, note: () => {}, cipherSuite: 3 });
}

/** For a test whose obms rotate no password. */
export const notRotating = (): never => {
  throw new Error('the test has no stored obms');
};
