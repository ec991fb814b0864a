/** A ticket that was asked for. */
import { type OutputFormat, showAs } from './output.ts';
import { inform, say } from './terminal.ts';

export const approvalText = (id: string): string => `another user approves it: nw ticket approve ${id}`;

export const showRequested = (ticket: { id: string }, format: OutputFormat): void =>
  showAs(format, ticket, () => {
    say(ticket.id);
    inform(approvalText(ticket.id));
  });
