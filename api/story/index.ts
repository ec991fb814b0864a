/**
 * `nodewright/test`: the author's kit, and stories, which need a daemon and a machine of the twin. Importing it starts nothing and
 * reads nothing.
 */
export * from '../../engine/kit/index.ts';
export { story } from './story.ts';
export type { Story, StoryEffect, StoryOptions, StoryTask } from './story-record.ts';
