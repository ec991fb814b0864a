/** The log of a daemon on a terminal. */
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { recentLog } from '../../engine/api-port/values.ts';
import { shownText } from '../../engine/vocabulary/conceal.ts';

export function readableLog(level: string): Logger {
  const stream = pretty({
    colorize: !process.env.NO_COLOR,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  return pino({ level, hooks: { streamWrite: (line) => visibleControls(recentLog.note(shownText(line))) } }, stream);
}

/** Shows control characters, in a line of JSON, by their numbers: a terminal would obey them. Line breaks remain. */
const visibleControls = (line: string): string =>
  line
    .replace(/(?<!\\)((?:\\\\)*)\\u00([01]|7f)/g, '$1\\\\u00$2')
    .replace(/[\u007f-\u009f]/g, (character) => `\\\\u00${character.charCodeAt(0).toString(16)}`);
