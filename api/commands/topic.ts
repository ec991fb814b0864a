/** A topic of the command `nodewright`. */
export interface CommandTopic {
  /** Its lines, without the name of the program. */
  usage: readonly string[];
  /** @returns the exit code; undefined: wrong arguments */
  run(args: readonly string[]): Promise<number | undefined>;
}
