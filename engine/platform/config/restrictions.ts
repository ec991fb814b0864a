/** The key `restrictions`: the launches that only users with some roles may start. */
import { type Static, Type } from 'typebox';
import { launchMatch, namesSchema } from './launch-match.ts';

const restrictionRule = Type.Object(
  {
    ...launchMatch,
    roles: namesSchema('Only users with one of these roles launch them, on the whole site or on nodes of their team.'),
  },
  { additionalProperties: false },
);

export const restrictionRules = Type.Array(restrictionRule, {
  maxItems: 100,
  description:
    'Launches that only users with one of the `roles` start ([how](../operate/teams.md#who-may-erase)): named `graphs`, or all `destructive` ones.',
});

export type RestrictionRule = Static<typeof restrictionRule>;
