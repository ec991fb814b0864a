/** Tasks that send a command to the node's obm, and their common options. */
import { type TProperties, Type } from 'typebox';
import { PermanentError } from '../vocabulary/errors.ts';
import type { PowerEffect } from '../vocabulary/states.ts';
import { messageOf } from '../vocabulary/thrown-values.ts';
import type { OverriddenInterlock, Override } from './erasure.ts';
import type { Need } from './need.ts';
import { obmServices } from './node.ts';
import { maybeDone, type Obm, ObmError } from './obm.ts';
import type { ActivityScope } from './operation.ts';
import { defineTask, type TaskDefinition } from './task.ts';

export interface ObmInput {
  obmServiceName?: string | null;
  interlock?: Override;
}

export const obmOptions = {
  obmServiceName: Type.Optional(
    Type.Unsafe<(typeof obmServices)[number] | null>({
      enum: [...obmServices, null],
      description: "Which of the node's obms. Absent or null: the first that the node has, in this order.",
    }),
  ),
  interlock: Type.Optional(
    Type.Object(
      { force: Type.Literal(true), by: Type.String({ minLength: 1 }), why: Type.String({ minLength: 1 }) },
      {
        additionalProperties: false,
        description: 'Overrides the interlock of a running drive erase: who decides so, and why.',
      },
    ),
  ),
};

/** The needs of a task with these options. */
export const needsObm: readonly Need[] = [{ obm: 'any', named: 'obmServiceName' }];

export interface BootInput extends ObmInput {
  persistent?: boolean;
  uefi?: boolean;
}

export const bootOptions = {
  persistent: Type.Optional(Type.Boolean({ description: 'true: permanently. Otherwise only for the next boot.' })),
  uefi: Type.Optional(
    Type.Boolean({
      description:
        'true: UEFI; false: BIOS; absent: `uefi` of the obm, else over Redfish the current mode, over IPMI BIOS.',
    }),
  ),
};

/** @throws ObmError if the node has no such obm, or an unusable one */
export function obmOf({ nodeId, services, input }: ActivityScope<ObmInput>): Promise<Obm> {
  if (nodeId === null) throw new PermanentError('a workflow without a node has no obm', 'NO_NODE');
  return services.obm(nodeId, input.obmServiceName ?? undefined, input.interlock);
}

type Ask<Input> = (obm: Obm, signal: AbortSignal, input: Input) => Promise<void>;

interface Asking<Input> {
  injectableName: `Task.${string}`;
  friendlyName: string;
  /** Besides `obmServiceName`. */
  options?: TProperties;
  power?: PowerEffect;
  ask: Ask<Input>;
}

/**
 * For a BMC that is busy, restarts or is briefly unreachable: BMCs take minutes to restart. The third failure in a row opens
 * its circuit; the waits until a trial, which count as no attempts, make this some four minutes.
 */
export const bmcRetry = { attempts: 6, delayMs: 2_000 };

type ObmTask = TaskDefinition<ObmInput, { service: string }>;

/** Defines a task that applies a setting. Settings are idempotent, so they may be repeated. */
export function defineObmSetting<Input extends ObmInput>({ ask, options, ...names }: Asking<Input>): ObmTask {
  const optionsSchema = Type.Object({ ...obmOptions, ...options }, { additionalProperties: false });
  return defineTask({
    ...names,
    recovery: 'idempotent',
    retry: bmcRetry,
    optionsSchema,
    needs: needsObm,
    run: async (scope) => askObm(scope as ActivityScope<Input>, ask),
  }) as ObmTask;
}

/**
 * Defines a task that sends a command whose effect cannot be queried. The command is sent once; if its outcome is
 * unknown, the task run fails. After a crash of the process it is sent only if it had not been sent before.
 */
export function defineObmCommand<Input extends ObmInput>({ ask, options, ...names }: Asking<Input>): ObmTask {
  const optionsSchema = Type.Object({ ...obmOptions, ...options }, { additionalProperties: false });
  return defineTask({
    ...names,
    recovery: 'once',
    retry: bmcRetry,
    optionsSchema,
    needs: needsObm,
    run: async (scope) => {
      try {
        return await askObm(scope as ActivityScope<Input>, ask);
      } catch (error) {
        if (!maybeDone(error)) throw error;
        throw new ObmError('OBM_UNANSWERED', `${messageOf(error)}; the command is not sent again, check the machine`, {
          retry: false,
          sent: true,
        });
      }
    },
    probe: async ({ sent }) => ({ state: sent.length === 0 ? 'never-started' : 'unknown' }),
  }) as ObmTask;
}

/** The override of an interlock, for the task's output. */
export const overriddenOf = ({ usedOverride: overridden }: Obm): { overridden?: OverriddenInterlock } =>
  overridden === undefined ? {} : { overridden };

async function askObm<Input extends ObmInput>(
  scope: ActivityScope<Input>,
  ask: Ask<Input>,
): Promise<{ service: string }> {
  const obm = await obmOf(scope);
  await ask(obm, scope.signal, scope.input);
  return { service: obm.service, ...overriddenOf(obm) };
}
