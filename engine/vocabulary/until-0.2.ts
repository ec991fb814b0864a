/**
 * The names that 0.2 removes. Until then answers have each beside the name that replaces it, and the API's document
 * marks it as deprecated. To remove them all, delete this file and what the compiler reports without it.
 */
import type { TProperties, TSchema } from 'typebox';

/** Fields of answers. */
const fields: Readonly<Record<string, string>> = {
  restsUntil: 'retryAt',
  resting: 'circuitsOpen',
  refusals: 'rejections',
  refused: 'rejected',
};

/** Paths of routes, with their operations, by the path that replaces each. */
const paths: Readonly<Record<string, { id: string; path: string }>> = {
  '/bmcs/:id/circuit': { id: 'endBmcRest', path: '/bmcs/:id/rest' },
};

/** Metrics, by the name that replaces each. */
const metrics = {
  nodewright_activities_running: 'nodewright_acts_running',
  nodewright_bmc_circuits_open: 'nodewright_bmc_resting',
};

/** Values that have one name only, by the new one: `nw explain` finds its page by the old one too. */
const values: Readonly<Record<string, string>> = {
  OBM_CIRCUIT_OPEN: 'OBM_RESTING',
  'node.southbound.rejected': 'node.southbound.refused',
};

/** Codes that ended so, as `OBM_REFUSED`, end in `_REJECTED`. */
const OLD_END = /_REFUSED$/i;

/** Commands of `nw`, by the name that replaces each. */
export const oldCommands = { 'close-circuit': 'wake' };

/** Arguments of the daemon: `--suspend` replaces `--hold`. */
export const oldArguments = { hold: { type: 'string', multiple: true } } as const;

/** Describes an option of `nw`, which its help does not list. */
export const oldOption = (replacedBy: string): string => `until 0.2: ${replacedBy}`;

/** Adds the old names of the properties to an answer's schema. They are no part of its type: new code cannot use them. */
export function withOldFields<P extends TProperties>(properties: P): P {
  const old = Object.entries(fields).flatMap(([name, replacedBy]) => {
    const schema = properties[replacedBy];
    return schema === undefined ? [] : [[name, deprecatedCopy(schema, replacedBy)]];
  });
  return { ...properties, ...Object.fromEntries(old) };
}

/** A spread would lose what TypeBox does not enumerate: of which kind the schema is, and whether it is optional. */
const deprecatedCopy = (schema: TSchema, replacedBy: string): TSchema =>
  Object.assign(Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)), {
    deprecated: true,
    'x-replaced-by': replacedBy,
  });

/** Adds the routes at the old paths. */
export const withOldPaths = <R extends { id: string; path: string; summary: string }>(routes: readonly R[]): R[] =>
  routes.flatMap((route) => {
    const old = paths[route.path];
    const summary = `${route.summary} (deprecated: use ${route.path})`;
    return old === undefined ? [route] : [route, { ...route, ...old, summary, deprecated: true }];
  });

/** Whether a command from before `runningCode`, which ends with 0 when its time is over, reports that its work continues. */
export const saidRunning = (stdout: string): boolean => /^(\d+\.state running|running yes)$/m.test(stdout);

/** Adds the old name of `rejections` to what a command prints. */
export const withOldRejections = <R extends { rejections: unknown }>(record: R) => ({
  ...record,
  refusals: record.rejections,
});

/** Returns the name that replaces an old one of a code or an event, in capital letters or not; of any other name, that itself. */
export function replacedName(name: string): string {
  const old = Object.entries(values).find(([, one]) => one.toLowerCase() === name.toLowerCase());
  return old?.[0] ?? name.replace(OLD_END, '_REJECTED');
}

export const withOldMetric = (name: keyof typeof metrics): string[] => [name, metrics[name]];
