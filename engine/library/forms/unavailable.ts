/** The task of a job that RackHD has and this project has not: definitions with it load, and it fails where it runs. */
import { Type } from 'typebox';
import { defineTask } from '../../define/task.ts';
import { PermanentError } from '../../vocabulary/errors.ts';
import { hashOf } from '../options/hash.ts';
import type { MissingJob, Task } from '../types.ts';

const schema = Type.Object({});

const failingTask = ({ name, why }: MissingJob) =>
  defineTask({
    injectableName: 'Task.Unavailable',
    friendlyName: 'Unavailable',
    recovery: 'idempotent',
    optionsSchema: schema,
    run: async () => {
      throw new PermanentError(`found ${name}: ${why}`, 'JOB_MISSING');
    },
  });

export function unavailableTask(missing: MissingJob): Task {
  const { injectableName, friendlyName, recovery, machine } = failingTask(missing);
  return { name: injectableName, friendlyName, recovery, machine, ...restOf(missing) };
}

/** It needs and promises nothing. */
const restOf = (missing: MissingJob): Omit<Task, 'name' | 'friendlyName' | 'recovery' | 'machine'> => ({
  schema,
  defaults: {},
  properties: {},
  retry: undefined,
  probe: undefined,
  checkLaunch: undefined,
  needs: [],
  provides: [],
  readOnly: {},
  destructive: false,
  drives: undefined,
  power: undefined,
  runs: undefined,
  releases: undefined,
  takesCommands: false,
  takesNotifications: false,
  hash: hashOf({ unavailable: missing.name }),
  definition: {},
  source: { kind: 'api' },
  missing,
});
