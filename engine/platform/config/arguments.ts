/** The command-line arguments of the daemon. */
import { parseArgs } from 'node:util';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { oldArguments } from '../../vocabulary/until-0.2.ts';

const roles = ['api', 'worker', 'both'] as const;
export type Role = (typeof roles)[number];

export interface Arguments {
  readonly role: Role;
  /** Ids of workflows to quarantine at the start. */
  readonly suspend: readonly string[];
}

/** Every argument, with its description for `docs/reference/configuration.md`. */
export const argumentList = {
  role: {
    type: 'string',
    value: roles.join('|'),
    description:
      'The work of this process: `api` serves requests only, `worker` has no endpoint except `healthEndpoint`; default `both`.',
  },
  suspend: {
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
  const { role: name = 'both', suspend = [], hold = [] } = parseArguments(argv);
  const workflows = [...suspend, ...hold];
  const role = roles.find((one) => one === name);
  if (workflows.includes('')) reject('--suspend is "", expected the id of a workflow');
  return { role: role ?? reject(`--role is "${name}", expected one of ${roles.join(', ')}`), suspend: workflows };
}

function parseArguments(argv: readonly string[]): { role?: string; suspend?: string[]; hold?: string[] } {
  try {
    return parseArgs({ args: [...argv], options: { ...argumentList, ...oldArguments } }).values;
  } catch (error) {
    const [line] = messageOf(error).split('\n');
    return reject(`${line}; expected --role ${roles.join('|')}, --suspend <workflow id>, or nothing`);
  }
}
