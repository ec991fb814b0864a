/** A workflow as its page shows it. */
import type { Got } from '../../../client/requests.ts';

export type ShownWorkflow = Got<'/workflows/:id'>;
export type ShownTask = ShownWorkflow['tasks'][number];
