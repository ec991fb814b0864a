/** The key `approvals`: the launches that a second person approves first. */
import { type Static, Type } from 'typebox';

const names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 1_000, description }));

const approvalRule = Type.Object(
  {
    graphs: names('The graphs; instead of `destructive`.'),
    destructive: Type.Optional(Type.Literal(true, { description: 'Every graph that destroys data of a machine.' })),
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean()]), {
        description: 'Only on the nodes that these filters of the list of nodes select; absent: on all.',
      }),
    ),
    approvals: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, description: 'The number of users who have to approve; absent: 1.' }),
    ),
    roles: names('Users with one of these roles may approve, besides those with ConfigureManager.'),
    validMinutes: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 525_600, description: 'How long a ticket is valid; absent: 240.' }),
    ),
  },
  { additionalProperties: false },
);

export const approvalRules = Type.Array(approvalRule, {
  maxItems: 100,
  description: 'Launches that need a [ticket](../operate/tickets.md): named `graphs`, or all `destructive` ones.',
});

export type ApprovalRule = Static<typeof approvalRule>;
