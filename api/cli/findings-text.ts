/** Findings about graphs, for people: errors with the line, warnings, and notes, which need no change. */
import { countText } from '../../engine/vocabulary/count-texts.ts';
import { type WarningCode, warningFailures, warningNotes } from '../../engine/vocabulary/warning-codes.ts';
import type { OutputFormat } from './output.ts';
import { colors, printableText, say } from './terminal.ts';

/** Findings of a file, or of an answer of the API. */
export interface ShownFindings {
  file: string;
  name: string | null;
  errors: readonly { path: string; message: string; line?: number }[];
  warnings: readonly { code: WarningCode; message: string }[];
  explored: { configurations: number; ends: number; succeeded: number; failed: number } | null;
}

export function showFindings(all: readonly ShownFindings[], format: OutputFormat): void {
  if (format === 'json') say(JSON.stringify(all, null, 2));
  else if (format === 'jsonl') for (const one of all) say(JSON.stringify(one));
  else for (const one of all) for (const line of linesOf(one)) say(line);
}

function linesOf({ file, name, errors, warnings, explored }: ShownFindings): string[] {
  const title = errors.length > 0 ? colors.red('rejected') : printableText(name ?? '');
  return [
    `${printableText(file)}  ${title}`,
    ...errors.map((error) => `  ${placeOf(file, error)}${printableText(error.message)}`),
    ...(explored === null ? [] : exploredLines(explored, warnings)),
    ...warnings.map(warningLine),
  ];
}

/** A sentence that begins with "found" names its place; a violation of a schema does not. */
const placeOf = (file: string, { line, path, message }: ShownFindings['errors'][number]): string => {
  const place = line === undefined ? '' : `${printableText(file)}:${line}  `;
  const isNamed = path === '' || (line !== undefined && message.startsWith('found '));
  return isNamed ? place : `${place}${printableText(path)}: `;
};

function exploredLines(
  { configurations, ends, succeeded, failed }: NonNullable<ShownFindings['explored']>,
  warnings: ShownFindings['warnings'],
): string[] {
  const codes = warnings.map(({ code }) => code);
  const ok = (text: string, ...against: WarningCode[]) =>
    against.some((code) => codes.includes(code)) ? [] : [`  ${text.padEnd(PAD)}${colors.green('ok')}`];
  return [
    ...ok('loads: tasks, labels, options'),
    `  ${`explored ${countText(configurations, 'configuration')}`.padEnd(PAD)}${countText(ends, 'end')} (${succeeded} succeeded, ${failed} failed)`,
    ...ok('every path can end', 'NO_END', 'LAUNCH_FAILS', 'GRAPH_THROWS', 'NOT_EXPLORED'),
    ...ok('every state and label is reached', 'NEVER_REACHED', 'NOT_EXPLORED'),
  ];
}

const PAD = 36;

function symbolOf(code: WarningCode): string {
  if (warningFailures.includes(code)) return colors.red('x   ');
  return warningNotes.includes(code) ? colors.dim('note') : colors.yellow('!   ');
}

function warningLine({ code, message }: ShownFindings['warnings'][number]): string {
  const symbol = symbolOf(code);
  return `  ${symbol}  ${printableText(message)}  ${colors.dim(code)}`;
}
