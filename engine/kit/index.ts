/**
 * The author's kit, `nodewright/test`: graphs explored, simulated and tested, without a daemon, hardware or waiting.
 * Importing it starts nothing and reads nothing.
 *
 * All errors about its use say what was found, what was expected and what to do.
 */
export type { CallEnd, CallEnds } from './call-ends.ts';
export { type AnyGraph, type CompileOptions, type Definitions, graphFrom } from './compile-graph.ts';
export { includedDefinitions, type LoadOptions, loadGraph as load } from './definition-files.ts';
export {
  type DeadEnd,
  type Exploration,
  type ExploreOptions,
  explore,
  type GraphEnd,
  type ImpureRead,
  type ThrownError,
} from './explore.ts';
export {
  examineGraph,
  type HarnessCount,
  type HarnessOptions,
  type HarnessProblem,
  type HarnessResult,
  harness,
} from './harness.ts';
export { type NodeAnswers, type Recording, readRecording, recordingOf } from './recording.ts';
export { type ReplayDifference, type ReplayOptions, type ReplayResult, replay } from './replay.ts';
export { type RecordedRun, recordedRun } from './run-file.ts';
export { type SimulateOptions, simulate } from './simulate.ts';
export type { SimulatedTask, Simulation } from './simulation.ts';
export { failOnStray } from './strays.ts';
