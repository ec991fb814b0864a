/**
 * Renders the profiles and templates of this daemon's own package with plain EJS: they are its own code, and their variables
 * only data. In the sandbox each takes milliseconds, in which the other machines of a rack wait for theirs.
 */
import { createRequire } from 'node:module';
import { packagePath } from '../../vocabulary/package-path.ts';

type Program = (variables: Record<string, unknown>) => string;

/** The package has no types; loaded by the first template. */
const loadEjs = (): { compile(text: string, options: { compileDebug: boolean }): Program } =>
  createRequire(packagePath('package.json'))('ejs');

export class IncludedTemplates {
  /** By text: at most one for each file of the package. */
  readonly #programs = new Map<string, Program>();

  /**
   * @param variables JSON
   * @returns undefined: it does not render with these
   */
  render(text: string, variables: string): string | undefined {
    try {
      return this.#programOf(text)(JSON.parse(variables));
    } catch {
      return undefined;
    }
  }

  #programOf(text: string): Program {
    const compiled = this.#programs.get(text) ?? loadEjs().compile(text, { compileDebug: false });
    this.#programs.set(text, compiled);
    return compiled;
  }
}
