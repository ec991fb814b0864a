/** The types of `nodewright/test`: those of `index.ts`, without a daemon behind them, so that a package has few declarations. */
import type { AnyGraph } from '../../engine/kit/index.ts';
import type { Story, StoryOptions } from './story-record.ts';

export * from '../../engine/kit/index.ts';
export type { Story, StoryEffect, StoryOptions, StoryTask } from './story-record.ts';

/** Runs the workflow of a graph on a machine that answers, from its launch to its end (`story.ts`). */
export declare const story: (graph: AnyGraph, options?: StoryOptions) => Promise<Story>;
