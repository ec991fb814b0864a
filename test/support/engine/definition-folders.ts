import { packagePath } from '../../../engine/vocabulary/package-path.ts';

/** The folders of the included definitions and of the fixtures. */
export const folders = {
  graphs: [packagePath('graphs'), packagePath('fixtures/graphs')],
  tasks: [packagePath('tasks'), packagePath('fixtures/tasks')],
};
