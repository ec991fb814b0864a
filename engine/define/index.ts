/** The authoring kit: all that a graph or task file imports. */
export { type Static, Type } from 'typebox';
export { type ErrorCode, NothingDoneError, PermanentError, type Violation } from '../vocabulary/errors.ts';
export { DAY_MS, HOUR_MS, MINUTE_MS } from '../vocabulary/units.ts';
export { IPV4_PATTERN, isNoUrl } from './address.ts';
export { bmcResetOptions, resetBmc } from './bmc-reset.ts';
export { type BootImage, type Command, type CommandResult, catalogFormats, localBoot } from './command.ts';
export { type CommandsOutput, defineCollector, defineCollectorOfMany, runCommands } from './commands.ts';
export { delay } from './delay.ts';
export { type DiscoveryOutcome, errorOf, type NodeError } from './discovery-outcome.ts';
export type { DriveRecord, Interlock, InterlockEntry, OverriddenInterlock, Override } from './erasure.ts';
export { failTo, failWithoutImage, type GraphError } from './fail-to.ts';
export { defineGraph, FAILED, type GraphInput } from './graph.ts';
export { type ChildOptions, type Need, type Provision, withTarget } from './need.ts';
export { type ObmService, obmServices } from './node.ts';
export { ignoredNodeId } from './node-option.ts';
export { type Obm, ObmError, type PowerState, type Racadm, type Redfish, type RedfishProgress } from './obm.ts';
export {
  type BootInput,
  bmcRetry,
  bootOptions,
  defineObmCommand,
  defineObmSetting,
  needsObm,
  type ObmInput,
  obmOf,
  obmOptions,
} from './obm-tasks.ts';
export {
  type ActivityScope,
  activity,
  childGraph,
  command,
  notification,
  type ReadableFile,
  release,
  type Services,
} from './operation.ts';
export type { CompensationDefinition, CompletedTask, LabelDefinition } from './policies.ts';
export { offOptions, type PowerInput, powerOptions, probePower, switchPower } from './power.ts';
export type { Retry } from './retry.ts';
export { defineScripts } from './script-tasks.ts';
export { type ChosenDrive, defineTask, type LaunchScope, secret, type TaskInput } from './task.ts';
export { valueAt } from './value-at.ts';
