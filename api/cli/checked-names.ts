/** A mistyped name looks like one of which there is nothing: when a list by names is empty, they are looked up. */
import { ApiError } from './api-error.ts';
import type { Client } from './client.ts';
import { CommandError } from './exit-codes.ts';
import { suggestion } from './suggestion.ts';
import { printableText } from './terminal.ts';

/** The names that an option selects by. The API accepts several with commas. */
export interface SelectingNames {
  graph?: string | undefined;
  team?: string | undefined;
}

interface NameKind {
  look(client: Client, name: string): Promise<unknown>;
  list: '/workflows/graphs' | '/teams';
  /** The message, with `%` for the name. */
  missing: string;
}

const kinds: Readonly<Record<keyof SelectingNames, NameKind>> = {
  graph: {
    look: (client, name) => client.get('/workflows/graphs/:name', { params: { name } }),
    list: '/workflows/graphs',
    missing: 'no graph is called %; nw graphs lists them',
  },
  team: {
    look: (client, name) => client.get('/teams/:name', { params: { name } }),
    list: '/teams',
    missing: 'no team is called %; nw teams lists them',
  },
};

/** @throws CommandError for the first name that does not exist */
export async function checkNames(client: Client, names: SelectingNames): Promise<void> {
  for (const [kind, { look, list, missing }] of Object.entries(kinds))
    for (const name of names[kind as keyof SelectingNames]?.split(',') ?? [])
      await look(client, name).catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
        const near = await suggestion(client, list, name);
        throw new CommandError(printableText(missing.replace('%', () => name) + near));
      });
}
