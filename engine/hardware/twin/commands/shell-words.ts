/**
 * Reads the words of shell commands, as far as the commands of tasks need it: quotes, comments, lists with `;`, `&&`, `||`, and
 * known variables. It runs nothing. Text that only a shell can expand is marked.
 */

/** How a statement follows the one before it. */
type Joint = ';' | '&&' | '||' | '|';

export interface ShellStatement {
  joint: Joint;
  words: string[];
  /** A word has an expansion, a pattern or a redirection that this reader does not evaluate. */
  needsShell: boolean;
  /** Its output is lost. */
  isSilent: boolean;
  /** The file that its output goes to. */
  output?: string;
}

const emptyStatement = (joint: Joint): ShellStatement => ({ joint, words: [], needsShell: false, isSilent: false });

/** Redirections whose only effect is that output is lost, or joined. */
const REDIRECTION = /^(?:\d?>&\d|[12&]?>>?\s*\/dev\/null|<\s*\/dev\/null)/;
const VARIABLE = /^\$(?:(\w+)|\{(\w+)\})/;

class Reader {
  readonly statements: ShellStatement[] = [];
  readonly #text: string;
  readonly #variables: Readonly<Record<string, string>>;
  #at = 0;
  #word: string | undefined;
  /** The next word is the file of a redirection. */
  #isOutput = false;
  #statement = emptyStatement(';');

  constructor(text: string, variables: Readonly<Record<string, string>>) {
    this.#text = text;
    this.#variables = variables;
  }

  read(): ShellStatement[] {
    while (this.#at < this.#text.length) this.#step(this.#text[this.#at] as string);
    this.#endStatement(';');
    return this.statements;
  }

  #step(character: string): void {
    const rest = this.#text.slice(this.#at, this.#at + 64);
    const redirection = REDIRECTION.exec(rest)?.[0];
    if (redirection !== undefined && (this.#word === undefined || !/^\d/.test(redirection))) {
      this.#endWord();
      if (/^[1&]?>.*null$/.test(redirection)) this.#statement.isSilent = true;
      this.#at += redirection.length;
    } else if (character === '>' && this.#word === undefined && !rest.startsWith('>>')) {
      this.#isOutput = true;
      this.#at += 1;
    } else if (character === "'") this.#take(this.#untilQuote());
    else if (character === '"') this.#quotedText();
    else if (character === '\\') this.#escapedCharacter();
    else if (character === '$') this.#expansion(rest);
    else if (character === '#' && this.#word === undefined) this.#comment();
    else if (/\s/.test(character) && character !== '\n') this.#skip(() => this.#endWord(), 1);
    else if (rest.startsWith('&&') || rest.startsWith('||')) this.#end(rest.slice(0, 2) as Joint, 2);
    else if (character === '\n' || character === ';' || character === '&') this.#end(';', 1);
    else if (character === '|') this.#end('|', 1);
    else this.#plainCharacter(character);
  }

  #plainCharacter(character: string): void {
    if ('`*?<>(){}'.includes(character)) this.#statement.needsShell = true;
    this.#take(character);
    this.#at += 1;
  }

  #skip(before: () => void, count: number): void {
    before();
    this.#at += count;
  }

  #end(joint: Joint, count: number): void {
    this.#skip(() => this.#endStatement(joint), count);
  }

  #take(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #untilQuote(): string {
    const end = this.#text.indexOf("'", this.#at + 1);
    const text = this.#text.slice(this.#at + 1, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 1;
    return text;
  }

  #quotedText(): void {
    this.#take('');
    this.#at += 1;
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"') {
      const character = this.#text[this.#at] as string;
      if (character === '\\' && /["\\$`\n]/.test(this.#text[this.#at + 1] ?? '')) this.#escapedCharacter();
      else if (character === '$') this.#expansion(this.#text.slice(this.#at, this.#at + 64));
      else {
        if (character === '`') this.#statement.needsShell = true;
        this.#take(character);
        this.#at += 1;
      }
    }
    this.#at += 1;
  }

  #escapedCharacter(): void {
    const next = this.#text[this.#at + 1] ?? '';
    if (next !== '\n') this.#take(next);
    this.#at += 2;
  }

  #expansion(rest: string): void {
    const [whole, plain, braced] = VARIABLE.exec(rest) ?? [];
    const value = this.#variables[plain ?? braced ?? ''];
    if (whole !== undefined && value !== undefined) {
      this.#take(value);
      this.#at += whole.length;
      return;
    }
    this.#statement.needsShell = true;
    this.#take('$');
    this.#at += 1;
  }

  #comment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #endWord(): void {
    if (this.#word === undefined) return;
    if (this.#isOutput) this.#statement.output = this.#word;
    else this.#statement.words.push(this.#word);
    this.#isOutput = false;
    this.#word = undefined;
  }

  #endStatement(joint: Joint): void {
    this.#endWord();
    if (this.#statement.words.length > 0) this.statements.push(this.#statement);
    // A list may continue on the next line.
    else if (joint === ';') return;
    this.#statement = emptyStatement(joint);
  }
}

/** @param variables by name; others are not expanded */
export const shellStatements = (text: string, variables: Readonly<Record<string, string>> = {}): ShellStatement[] =>
  new Reader(text, variables).read();

/** The values of lines `name=value`, also of several in one line. */
export function shellAssignments(text: string): Record<string, string> {
  const all = shellStatements(text).flatMap(({ words }) => words);
  return Object.fromEntries(
    all.flatMap((word) => {
      const [, name, value] = /^(\w+)=([\s\S]*)$/.exec(word) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}
