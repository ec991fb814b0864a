/** The key `approvals`: the launches that a second person approves first. */
import { type Static, Type } from 'typebox';
import { launchMatch, namesSchema } from './launch-match.ts';

const approvalRule = Type.Object(
  {
    ...launchMatch,
    approvals: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, description: 'The number of users who have to approve; absent: 1.' }),
    ),
    roles: Type.Optional(
      namesSchema('Users with one of these roles may approve, besides those with ConfigureManager.'),
    ),
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
