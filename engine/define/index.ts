/** The authoring kit: all that a graph or task file imports. */
export { Type } from 'typebox';
export { PermanentError } from './errors.ts';
export { defineGraph, FAILED, type GraphInput } from './graph.ts';
export { defineTask, secret, type TaskInput } from './task.ts';
export { type ActScope, act, childGraph, notification } from './work.ts';
