/**
 * The terminal, or the pipe, that the command writes to. Colors only on a terminal, and never with NO_COLOR.
 *
 * Texts of others (names, messages, catalogs) are shown by `printable`: a terminal obeys control characters.
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
export const printable = (text: string): string => stripVTControlCharacters(text).replace(CONTROL, ' ');

/** Writes a line of the result. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Writes a line about the result, so that a pipe does not receive it. */
export const inform = (line: string): void => void process.stderr.write(`${line}\n`);
