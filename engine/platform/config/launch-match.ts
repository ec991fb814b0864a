/** The launches that a rule of the configuration is about: a part of the keys `approvals` and `restrictions`. */
import { type TObject, Type } from 'typebox';

export const namesSchema = (description: string) =>
  Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 1_000, description });

export const launchMatch = {
  graphs: Type.Optional(namesSchema('The graphs; instead of `destructive`.')),
  destructive: Type.Optional(Type.Literal(true, { description: 'Every graph that destroys data of a machine.' })),
  filter: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean()]), {
      description: 'Only on the nodes that these filters of the list of nodes select; absent: on all.',
    }),
  ),
};

export type LaunchMatch = Type.Static<TObject<typeof launchMatch>>;
