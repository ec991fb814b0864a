/** An option that RackHD's tasks have, so that its graphs load. */
import { Type } from 'typebox';

/** RackHD's tasks take the id of their node as an option; here it is that of the workflow. */
export const ignoredNodeId = Type.Optional(
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Has no effect: it is the node of the workflow.',
  }),
);
