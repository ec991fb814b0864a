/** The API record of an event in the log. */
import { Type } from 'typebox';
import { anyObject, nonEmpty, orNull, owningTeam, time } from '../../engine/api-port/schemas.ts';

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
    owner: Type.Optional(owningTeam),
    n: Type.Optional(
      Type.Integer({ minimum: 1, description: 'of a workflow: number of the event within it, without gaps' }),
    ),
    traceId: Type.Optional(Type.String({ description: "of a workflow: the workflow's trace" })),
    data: anyObject,
  },
  { title: 'Event' },
);
