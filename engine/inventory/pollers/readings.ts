/** Reads what a poller polls, other than event logs: sensors and the chassis by IPMI, sensors by Redfish, objects by SNMP. */
import type { PollerReading } from '../../api-port/pollers.ts';
import type { ObmDrivers } from '../../hardware/obm/obm-drivers.ts';
import { readSensors } from '../../hardware/obm/redfish-sensors.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Cipher } from '../../platform/secrets/secrets.ts';
import { type JsonObject, objectIn } from '../../vocabulary/json.ts';
import { readTrees } from './snmp.ts';
import type { StoredPoller } from './stored-poller.ts';

const TIMEOUT_MS = 30_000;

const commands = {
  sdr: { args: ['sdr', 'elist'], parse: sensorsIn },
  chassis: { args: ['chassis', 'status'], parse: chassisIn },
} as const;

type Drivers = Pick<ObmDrivers, 'ask' | 'redfish' | 'snmp'>;

export class Readings {
  readonly #obms: Drivers;
  readonly #cipher: Cipher;

  constructor(obms: Drivers, cipher: Cipher) {
    this.#obms = obms;
    this.#cipher = cipher;
  }

  /** @throws ObmError */
  async read({ type, node, config, access }: StoredPoller, signal: AbortSignal): Promise<PollerReading> {
    const settings: JsonObject = { ...config, ...objectIn(access && this.#cipher.decrypt(access)) };
    const timestamp = new Date(now()).toISOString();
    if (type === 'snmp') {
      const target = await this.#obms.snmp(node, settings);
      const result = await readTrees(target, config.oids ?? [], TIMEOUT_MS, signal);
      return { host: target.host, node, timestamp, result };
    }
    if (type === 'redfish') {
      const kind = config.command === 'power' ? 'power' : 'thermal';
      const bmc = await this.#obms.redfish(node ?? '');
      const sensors = await readSensors((request) => bmc.ask(request, signal), kind, bmc.system);
      return { host: new URL(bmc.origin).hostname, node, timestamp, [kind]: sensors };
    }
    const command = config.command === 'chassis' ? 'chassis' : 'sdr';
    const { args, parse } = commands[command];
    const { host, said } = await this.#obms.ask(node, settings, args, signal);
    return { host, node, timestamp, [command]: parse(said) };
  }
}

/** Parses lines such as `Temp | 01h | ok | 3.1 | 23 degrees C`. */
export function sensorsIn(said: string): Record<string, string>[] {
  return said.split('\n').flatMap((line) => {
    const [id, number, state, entity, reading] = line.split('|').map((part) => part.trim());
    if (id === undefined || reading === undefined) return [];
    return [
      {
        'Sensor Id': id,
        Number: number ?? '',
        Status: state ?? '',
        'Entity Id': entity ?? '',
        'Sensor Reading': reading,
      },
    ];
  });
}

/** Parses lines such as `System Power : on`. */
function chassisIn(said: string): Record<string, string | null> {
  const fields = new Map(
    said.split('\n').map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.trim().toLowerCase(), value.join(':').trim()];
    }),
  );
  const field = (name: string) => fields.get(name) ?? null;
  return { power: field('system power'), uid: field('chassis identify state'), fault: field('main power fault') };
}
