/** The settings that `PATCH /config` takes, as fields of a form. */
export interface ShownConfig extends Record<string, unknown> {
  log?: { level?: string };
}

interface RuntimeSetting {
  name: string;
  title: string;
  hint: string;
  choices?: readonly string[];
  valueIn: (config: ShownConfig) => string;
  /** @throws Error */
  read: (text: string) => unknown;
}

const shownSetting =
  (name: string) =>
  (config: ShownConfig): string => {
    const value = config[name];
    return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  };

function number(text: string): number {
  const value = Number(text);
  if (Number.isNaN(value)) throw new Error(`found ${text}, expected a number`);
  return value;
}

function object(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`found ${text}, expected an object as JSON`);
  }
}

export const runtimeSettings: readonly RuntimeSetting[] = [
  {
    name: 'log',
    title: 'Log level',
    hint: 'of all daemons',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    valueIn: ({ log }) => log?.level ?? '',
    read: (level) => ({ level }),
  },
  {
    name: 'heartbeatIntervalSec',
    title: 'Heartbeat interval',
    hint: 'seconds; 0: none',
    valueIn: shownSetting('heartbeatIntervalSec'),
    read: number,
  },
  {
    name: 'authTokenExpireIn',
    title: 'Life of login tokens',
    hint: 'seconds',
    valueIn: shownSetting('authTokenExpireIn'),
    read: number,
  },
  {
    name: 'enableLocalHostException',
    title: 'First user from this machine',
    hint: 'while there is no user',
    choices: ['true', 'false'],
    valueIn: shownSetting('enableLocalHostException'),
    read: (text) => text === 'true',
  },
  {
    name: 'servicePublicIp',
    title: 'Public address',
    hint: 'at which nodes reach the daemon',
    valueIn: shownSetting('servicePublicIp'),
    read: (text) => text,
  },
  {
    name: 'env',
    title: 'Values for {{ env }}',
    hint: 'an object as JSON; it replaces all',
    valueIn: shownSetting('env'),
    read: object,
  },
];

/** The settings of the fields that are not empty. @throws Error for the first that cannot be read, or if all are empty */
export function settingsIn(fieldText: (name: string) => string | undefined): Record<string, unknown> {
  const entries = runtimeSettings.flatMap(({ name, title, read }) => {
    const text = fieldText(name);
    if (text === undefined) return [];
    try {
      return [[name, read(text.trim())]];
    } catch (error) {
      throw new Error(`${title}: ${(error as Error).message}`);
    }
  });
  if (entries.length === 0) throw new Error('every field is empty: nothing changes');
  return Object.fromEntries(entries) as Record<string, unknown>;
}
