/** The API record of an event in the log. */
import { Type } from 'typebox';
import { anyObject, nonEmpty, orNull, time } from '../../engine/api-port/schemas.ts';

export const eventRecord = Type.Object(
  {
    seq: Type.Integer({ minimum: 1, description: 'position in the log; numbers may be missing' }),
    id: nonEmpty,
    version: nonEmpty,
    type: nonEmpty,
    action: nonEmpty,
    severity: nonEmpty,
    typeId: nonEmpty,
    createdAt: time,
    nodeId: orNull(Type.String()),
    owner: Type.Optional(
      Type.String({ description: 'of a node or a workflow: the team that it belongs to; absent: none' }),
    ),
    n: Type.Optional(
      Type.Integer({ minimum: 1, description: 'of a workflow: number of the event within it, without gaps' }),
    ),
    traceId: Type.Optional(Type.String({ description: "of a workflow: the workflow's trace" })),
    data: anyObject,
  },
  { title: 'Event' },
);
