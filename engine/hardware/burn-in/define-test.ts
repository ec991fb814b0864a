/** The definition of a task that runs one test of a burn-in. */
import type { TObject } from 'typebox';
import { defineTask, Type } from '../../define/index.ts';
import type { ChosenDrive, LaunchScope, TaskDefinition } from '../../define/task.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import { jobMachine } from '../jobs/job-machine.ts';
import { concludeTest, plannedTest, type TestOptions, type WantedValues } from './burn-in-activities.ts';
import { type BurnInJob, burnInCommand } from './burn-in-commands.ts';
import { type BurnInTest, testOptions } from './burn-in-tests.ts';
import type { TestResult } from './test-results.ts';

interface DestructiveTest<Options> {
  drives: (scope: LaunchScope<Options>) => Promise<readonly ChosenDrive[] | undefined>;
  checkLaunch: (scope: LaunchScope<Options>) => Promise<Violation[]>;
}

interface TestDefinition<Options> {
  injectableName: `Task.${string}`;
  friendlyName: string;
  test: BurnInTest;
  /** Schemas of the options besides those of all tests. */
  properties: TObject['properties'];
  options: Partial<Options>;
  wanted: WantedValues<Options>;
  /** It destroys the content of drives. */
  destroys?: DestructiveTest<Options>;
}

/** Each test begins once on the node. A retry may repeat a test that only reads, and not a test that writes. */
export function defineBurnInTest<Options extends TestOptions>(
  definition: TestDefinition<Options>,
): TaskDefinition<Options, TestResult> {
  const { injectableName, friendlyName, test, properties, options, wanted, destroys } = definition;
  return defineTask<TObject, TestResult>({
    injectableName,
    friendlyName,
    recovery: destroys === undefined ? 'idempotent' : 'once',
    optionsSchema: Type.Object({ ...testOptions, ...properties }, { additionalProperties: false }),
    options: options as Record<string, unknown>,
    machine: jobMachine<Options, BurnInJob, TestResult>(injectableName, {
      plan: plannedTest(test, wanted),
      commandOf: burnInCommand,
      conclude: concludeTest,
      none: { run: '', test, wanted: {} },
    }),
    ...(destroys !== undefined && {
      destructive: true,
      // None of its activities touches a drive, and its command begins the test once.
      probe: async () => ({ state: 'never-started' as const }),
      drives: destroys.drives as never,
      checkLaunch: destroys.checkLaunch as never,
    }),
  }) as unknown as TaskDefinition<Options, TestResult>;
}
