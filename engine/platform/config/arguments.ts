/** The command-line arguments of the daemon. */
import { parseArgs } from 'node:util';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { messageOf } from '../../vocabulary/thrown.ts';

const roles = ['api', 'worker', 'both'] as const;
export type Role = (typeof roles)[number];

export interface Arguments {
  readonly role: Role;
  /** Ids of workflows to quarantine at the start. */
  readonly hold: readonly string[];
}

/** Every argument, with its description for `docs/reference/configuration.md`. */
export const argumentList = {
  role: {
    type: 'string',
    value: roles.join('|'),
    description:
      'The work of this process: `api` serves requests only, `worker` has no endpoint except `healthEndpoint`; default `both`.',
  },
  hold: {
    type: 'string',
    multiple: true,
    value: '<workflow id>',
    description: 'Quarantines a workflow before it runs; may be repeated.',
  },
} as const;

const reject = (what: string): never => {
  throw new NodewrightError('CONFIG_INVALID', `arguments: ${what}`);
};

/** @throws NodewrightError CONFIG_INVALID with one line */
export function readArguments(argv: readonly string[]): Arguments {
  const { role: name = 'both', hold = [] } = parsed(argv);
  const role = roles.find((one) => one === name);
  if (hold.includes('')) reject('--hold is "", expected the id of a workflow');
  return { role: role ?? reject(`--role is "${name}", expected one of ${roles.join(', ')}`), hold };
}

function parsed(argv: readonly string[]): { role?: string; hold?: string[] } {
  try {
    return parseArgs({ args: [...argv], options: argumentList }).values;
  } catch (error) {
    const [line] = messageOf(error).split('\n');
    return reject(`${line}; expected --role ${roles.join('|')}, --hold <workflow id>, or nothing`);
  }
}
