/** The task of a job that RackHD has and this project has not: definitions with it load, and it fails where it runs. */
import { Type } from 'typebox';
import { defineTask } from '../../define/task.ts';
import { PermanentError } from '../../vocabulary/errors.ts';
import { hashOf } from '../options/hash.ts';
import type { MissingJob, Task } from '../types.ts';

const schema = Type.Object({});

const fails = defineTask({
  injectableName: 'Task.Unavailable',
  friendlyName: 'Unavailable',
  recovery: 'idempotent',
  optionsSchema: schema,
  run: async () => {
    throw new PermanentError('no task here does the job of this task', 'JOB_MISSING');
  },
});

export const unavailableTask = (missing: MissingJob): Task => ({
  name: fails.injectableName,
  friendlyName: fails.friendlyName,
  recovery: fails.recovery,
  machine: fails.machine,
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
