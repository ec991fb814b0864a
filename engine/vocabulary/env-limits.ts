/**
 * Values of `env` that only some tasks may use, and only towards some hosts. The limits are encrypted with the value, so they
 * hold wherever the encrypted value goes: into options, child workflows, outputs.
 */
import { PermanentError } from './errors.ts';
import { isObject } from './json.ts';

export interface Limits {
  /** Names of tasks; `templates` means templates and profiles that nodes fetch. Absent: any. */
  readonly tasks?: readonly string[];
  /** Hosts that a request may have, without port. Absent: any. */
  readonly hosts?: readonly string[];
}

export interface LimitedValue extends Limits {
  readonly value: string | number;
}

/** Whether a value of `env` has limits; the schema of the configuration rejects malformed ones. */
export const isLimited = (value: unknown): value is LimitedValue =>
  isObject(value) && 'value' in value && ('tasks' in value || 'hosts' in value);

/** Whether a file that a node fetches may have the value. */
export const permitsFiles = ({ tasks, hosts }: Limits): boolean =>
  hosts === undefined && (tasks === undefined || tasks.includes('templates'));

/**
 * @param task the name of the task that is about to use the value
 * @param input its decrypted input
 * @throws PermanentError ENV_NOT_ALLOWED
 */
export function checkLimits(limits: readonly Limits[], task: string, input: unknown): void {
  for (const { tasks, hosts } of limits) {
    if (tasks !== undefined && !tasks.includes(task)) throw notAllowed(`${task}, expected one of ${tasks.join(', ')}`);
    if (hosts === undefined) continue;
    const hostNames = hostsIn(input);
    const other = hostNames.find((host) => !hosts.includes(host));
    if (hostNames.length === 0)
      throw notAllowed(`${task}, which sends it to no host by a URL; expected ${hosts.join(', ')}`);
    if (other !== undefined) throw notAllowed(`a request to ${other}, expected one to ${hosts.join(', ')}`);
  }
}

const notAllowed = (problem: string) =>
  new PermanentError(
    `a value of env is used by ${problem}; change its tasks or hosts in the configuration`,
    'ENV_NOT_ALLOWED',
  );

/** The hosts of all URLs in the top level of an input. */
function hostsIn(input: unknown): string[] {
  const texts = isObject(input) ? Object.values(input) : [];
  return texts.flatMap((text) => {
    if (typeof text !== 'string' || !text.includes('://') || !URL.canParse(text)) return [];
    return [new URL(text).hostname.replace(/^\[|\]$/g, '')];
  });
}
