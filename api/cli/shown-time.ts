/** The times of an answer to people: all in one form. Records as JSON keep ISO 8601. */
import { type Command, Option } from 'commander';
import { duration } from '../client/times.ts';
import { isTerminal } from './terminal.ts';

const timeFormats = ['relative', 'iso'] as const;
type TimeFormat = (typeof timeFormats)[number];

let format: TimeFormat = isTerminal ? 'relative' : 'iso';

/** Adds the option to all commands. */
export const addTimeFormat = (root: Command): Command =>
  root
    .addOption(
      new Option('--time-format <form>', 'of times; by default relative on a terminal, iso in a pipe').choices(
        timeFormats,
      ),
    )
    .hook('preAction', () => {
      format = root.opts<{ timeFormat?: TimeFormat }>().timeFormat ?? format;
    });

/** Such as `5 min ago`, `in 2 h`, or as it is. @param at ISO 8601 @returns null: there is none */
export function shownTime(at: string | null | undefined): string | null {
  if (at === null || at === undefined) return null;
  if (format === 'iso') return at;
  const ms = Date.parse(at) - Date.now();
  return ms > 0 ? `in ${duration(ms)}` : `${duration(-ms)} ago`;
}
