/** Tasks for tests of the library, without files. */
import { defineTask, secret, Type } from '../../../engine/define/index.ts';
import { loadedTask } from '../../../engine/library/forms/loaded-task.ts';
import type { Task, TaskLookup } from '../../../engine/library/types.ts';

export const noop = defineTask({
  injectableName: 'Task.noop',
  friendlyName: 'No operation',
  recovery: 'idempotent',
  optionsSchema: Type.Object({ delay: Type.Integer({ minimum: 0, default: 0 }) }),
  run: async () => ({}),
});

/** It is tried three times. */
export const retried = defineTask({
  injectableName: 'Task.retried',
  friendlyName: 'Retried',
  recovery: 'idempotent',
  retry: { attempts: 3, delayMs: 500 },
  optionsSchema: Type.Object({}),
  run: async () => ({}),
});

export const erase = defineTask({
  injectableName: 'Task.erase',
  friendlyName: 'Erase',
  recovery: 'once',
  optionsSchema: Type.Object(
    {
      disks: Type.Array(Type.String(), { minItems: 1 }),
      tool: Type.Optional(Type.Union([Type.Literal('scrub'), Type.Literal('hdparm')])),
      passes: Type.Integer({ minimum: 1, default: 1 }),
      key: Type.Optional(secret(Type.String())),
    },
    { additionalProperties: false },
  ),
  run: async ({ input }) => ({ erased: input.disks.length }),
});

const known = new Map<string, Task>(
  [noop, erase].map((definition) => [
    definition.injectableName,
    loadedTask(definition, `hash of ${definition.injectableName}`, { kind: 'file', file: 'tasks.ts' }),
  ]),
);

export const lookup: TaskLookup = (name) => known.get(name);
export const lookups = { any: lookup, code: lookup };
export const api = { kind: 'api' } as const;
