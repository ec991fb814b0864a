/**
 * Lines of text in the bytes that a machine writes to a terminal. Pure.
 *
 * 1. A line break or a lone carriage return ends a line; so does a move of the cursor to another line, as by firmware that
 *    draws its screens.
 * 2. Sequences of ANSI X3.64 and control characters are removed, also those that reverse or hide text.
 * 3. A line has at most `LINE_CHARACTERS` characters; what is beyond `BUFFER` was never kept.
 */
import { StringDecoder } from 'node:string_decoder';

/** Characters of a stored line. */
export const LINE_CHARACTERS = 1_000;
export const CUT = ' [cut]';
/** Characters of a line that is not complete: more than are shown, so that no secret is cut in two before it is redacted. */
const BUFFER = 4 * LINE_CHARACTERS;

const [BACKSPACE, TAB, LF, CR, ESC, BEL] = ['\b', '\t', '\n', '\r', '\u001b', '\u0007'];
/** Control characters, surrogates, and characters without width, which change how others are shown. */
const unshown = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Finals of the sequences after which text is elsewhere: cursor up, down, next and previous line, position, erased screen. */
const moves = 'ABEFHJdf';

/** `escape`: after ESC; `csi`: in a control sequence; `string`: in a command that ends with BEL or ESC \. */
type Place = 'text' | 'escape' | 'charset' | 'csi' | 'string';

export class ConsoleText {
  readonly #decoder = new StringDecoder('utf8');
  #place: Place = 'text';
  #line: string[] = [];
  /** The line before was ended by a carriage return, to which a line feed belongs. */
  #returned = false;

  /** Whether there is the beginning of a line, such as a prompt. */
  get isPartial(): boolean {
    return this.#line.length > 0;
  }

  /** @returns the lines that the bytes complete */
  take(bytes: Buffer): string[] {
    const lines: string[] = [];
    for (const character of this.#decoder.write(bytes)) this.#read(character, lines);
    return lines;
  }

  /** Ends the line that is there. @returns it; none if there is none */
  flush(): string[] {
    const lines: string[] = [];
    if (this.isPartial) this.#endLine(lines);
    return lines;
  }

  #read(character: string, lines: string[]): void {
    if (character === ESC) this.#place = 'escape';
    else if (this.#place === 'text') this.#write(character, lines);
    else this.#place = this.#afterControl(character, lines);
  }

  #afterControl(character: string, lines: string[]): Place {
    switch (this.#place) {
      case 'escape':
        if (character === '[') return 'csi';
        if (character === ']' || character === 'P' || character === '_' || character === '^') return 'string';
        return /[ -/]/.test(character) ? 'charset' : 'text';
      case 'csi':
        if (/[ -?]/.test(character)) return 'csi';
        if (moves.includes(character)) lines.push(...this.flush().filter((line) => line !== ''));
        return 'text';
      case 'string':
        return character === BEL || character === LF ? 'text' : 'string';
      default:
        return 'text';
    }
  }

  #write(character: string, lines: string[]): void {
    if (character === CR) {
      // CR LF is one line break.
      this.#returned ||= this.isPartial;
      if (this.isPartial) this.#endLine(lines);
    } else if (character === LF) {
      if (!this.#returned) this.#endLine(lines);
      this.#returned = false;
    } else if (character === BACKSPACE) this.#line.pop();
    else if (character === TAB || !unshown.test(character)) {
      if (this.#line.length < BUFFER) this.#line.push(character);
      this.#returned = false;
    }
  }

  #endLine(lines: string[]): void {
    lines.push(this.#line.join('').trimEnd());
    this.#line = [];
  }
}

/** Returns the line as it is stored. @param text without secrets */
export const cutLine = (text: string): string =>
  text.length <= LINE_CHARACTERS ? text : `${text.slice(0, LINE_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}${CUT}`;
