/**
 * The terminal, or the pipe, that the command writes to. Colors only on a terminal, and never with NO_COLOR.
 *
 * Texts of others (names, messages, catalogs) are shown by `printableText`: a terminal obeys control characters.
 */
import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';

export const isTerminal = process.stdout.isTTY === true;
export const canAsk = process.stdin.isTTY === true && process.stderr.isTTY === true;

const { NO_COLOR, TERM } = process.env;

/** Not picocolors' own decision, by which a pipe has colors in CI. */
export const colors = pc.createColors(isTerminal && !NO_COLOR && TERM !== 'dumb');

const CONTROL = /[\p{Cc}\p{Bidi_Control}]/gu;

/** One line, without characters that a terminal obeys. */
export const printableText = (text: string): string => stripVTControlCharacters(text).replace(CONTROL, ' ');

/** JSON, with escapes for the characters that a terminal obeys and JSON permits. @param indent spaces for each level */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(OBEYED, (character) => `\\u${hexOf(character)}`);

/** In JSON these occur in texts only. Line ends are between its values. */
const OBEYED = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu;

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0');

const ESCAPE = String.fromCharCode(27);
/** Everything that a terminal obeys but tabs, the ends of lines and colors. */
const COMMANDS = new RegExp(`(?![\\n\\t]|${ESCAPE}\\[\\d{1,3}(?:;\\d{1,3}){0,4}m)[\\p{Cc}\\p{Bidi_Control}]`, 'gu');

/** The last exit: what a caller has forgotten to make printable does no harm. */
const lineText = (line: string): string => `${line.replace(COMMANDS, ' ')}\n`;

/** Writes a line of the result. */
export const say = (line: string): void => void process.stdout.write(lineText(line));

/** Writes a line about the result, so that a pipe does not receive it. */
export const inform = (line: string): void => void process.stderr.write(lineText(line));
