/** Questions to the user. Without a terminal nothing is asked: the command ends with the name of the option to give. */
import { CommandError, EXIT } from './exit-codes.ts';
import { canAsk, jsonText, printableText } from './terminal.ts';

/** Bytes of a password on the standard input. */
const PASSWORD_LIMIT = 4_096;

const output = process.stderr;

/** Loaded when it is needed: most commands ask nothing. */
const prompts = () => import('@clack/prompts');

export async function askText(message: string, initialValue: string | undefined): Promise<string> {
  if (!canAsk) throw new CommandError(`${message} is missing; without a terminal it must be an option`, EXIT.usage);
  const { text } = await prompts();
  return answerOf(await text({ message, output, ...(initialValue !== undefined && { initialValue }) }));
}

export async function askPassword(message: string, fromInput: boolean): Promise<string> {
  if (fromInput) return passwordOfInput();
  if (!canAsk) throw new CommandError('Without a terminal, give the password by --password-stdin', EXIT.usage);
  const { password } = await prompts();
  return answerOf(await password({ message, output }));
}

async function passwordOfInput(): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    if (text.length > PASSWORD_LIMIT)
      throw new CommandError('The standard input is too long for a password', EXIT.usage);
  }
  return text.replace(/\r?\n$/, '');
}

/**
 * Asks the user to type a name before something that cannot be undone.
 * @param yes the option --yes
 * @throws CommandError if the user typed something else
 */
export async function confirmName(warning: string, name: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!canAsk) throw new CommandError(`${printableText(warning)} Without a terminal, confirm it by --yes`, EXIT.usage);
  const { text } = await prompts();
  // A user cannot type other characters.
  const nameText = printableText(name);
  const typed = await answerOf(
    await text({ message: `${printableText(warning)} Type ${nameText} to continue:`, output }),
  );
  if (typed !== nameText)
    throw new CommandError(`Found ${jsonText(typed)}, expected ${nameText}; nothing was done`, EXIT.cancelled);
}

async function answerOf(answer: string | symbol): Promise<string> {
  if (typeof answer === 'string') return answer;
  const { cancel } = await prompts();
  cancel('Nothing was done.', { output });
  throw new CommandError('interrupted', EXIT.interrupted);
}
