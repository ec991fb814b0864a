/** A tool of an assistant: a request to the daemon with a schema for its arguments. */
import { type Static, type TObject, Type } from 'typebox';
import type { ApiAnswer } from '../../client/requests.ts';
import type { Client } from '../client.ts';

export interface AssistantTool {
  name: string;
  description: string;
  /** JSON Schema. */
  input: TObject;
  /** Changes something: it is there with `--launches` only. */
  isChange: boolean;
  /** @param input fits the schema @throws an error whose message is for the assistant */
  run(client: Client, input: unknown): Promise<unknown>;
}

interface ToolParts<S extends TObject> extends Pick<AssistantTool, 'name' | 'description'> {
  input: S;
  run(client: Client, input: Static<S>): Promise<unknown>;
}

export const reading = <S extends TObject>(parts: ToolParts<S>): AssistantTool => toolOf(parts, false);

export const changing = <S extends TObject>(parts: ToolParts<S>): AssistantTool => toolOf(parts, true);

/** An unknown argument is rejected: without the filter that an assistant meant, the answer would be about all records. */
const toolOf = <S extends TObject>({ run, input, ...parts }: ToolParts<S>, isChange: boolean): AssistantTool => ({
  ...parts,
  input: Type.Object(input.properties, { additionalProperties: false }),
  isChange,
  run: (client, given) => run(client, given as Static<S>),
});

/** Records in one answer. */
const RECORD_COUNT = { usual: 20, largest: 100 };

/** The arguments of a list. */
export const listInput = (filters: string) =>
  Type.Object({
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { description: filters }),
    ),
    top: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: RECORD_COUNT.largest,
        description: `records; by default ${RECORD_COUNT.usual}`,
      }),
    ),
  });

type ListInput = Static<ReturnType<typeof listInput>>;

export const listQuery = ({ filter = {}, top = RECORD_COUNT.usual }: ListInput) => ({ ...filter, $top: top });

export const withTotal = <T>({ body, total }: ApiAnswer<T>) => ({ total: total ?? null, items: body });
