/** `curl` and `wget` of a microkernel, as far as scripts of nodes use them. */
import { messageOf } from '../../../vocabulary/thrown-values.ts';
import type { SouthRequest } from '../machine/twin-machine.ts';
import { fileNameIn, hasDigest } from './boot-files.ts';
import { type CommandAnswer, type CommandRun, commandAnswer, failedWith, STDOUT_LIMIT } from './command-run.ts';

/** Options of curl that have a value. */
const CURL_VALUES =
  /^(-o|-T|-X|-d|-H|-m|-w|--data|--data-binary|--request|--header|--output|--upload-file|--retry|--max-time|--connect-timeout)$/;

export async function fetchByCurl(args: readonly string[], run: CommandRun): Promise<CommandAnswer | undefined> {
  const values: Record<string, string> = {};
  let url = '';
  let flags = '';
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (CURL_VALUES.test(arg)) {
      at += 1;
      values[arg] = args[at] ?? '';
    } else if (arg.startsWith('-')) flags += arg;
    else url = arg;
  }
  const upload = values['-T'] ?? values['--upload-file'];
  const data = values['-d'] ?? values['--data'] ?? values['--data-binary'];
  const usual = upload !== undefined ? 'PUT' : data === undefined ? 'GET' : 'POST';
  const method = (values['-X'] ?? values['--request'] ?? usual).toUpperCase();
  if (url === '' || !isKnownMethod(method)) return undefined;
  const text = upload === undefined ? undefined : run.files.at(upload)?.text;
  if (upload !== undefined && text === undefined) return failedWith(26, `curl: (26) Failed to open ${upload}`);
  const answer = await fetchOnce(run, { method, url, ...(text !== undefined && { text }) }, data);
  if (typeof answer === 'string') return failedWith(7, `curl: (7) ${answer}`);
  if (/f/.test(flags) && answer.status >= 400)
    return failedWith(22, `curl: (22) The requested URL returned error: ${answer.status}`);
  const output = values['-o'] ?? values['--output'];
  if (output === undefined) return commandAnswer(answer.text.slice(0, STDOUT_LIMIT));
  run.files.put(output, answer.text);
  return commandAnswer('');
}

export async function fetchByWget(args: readonly string[], run: CommandRun): Promise<CommandAnswer | undefined> {
  const at = args.findIndex((arg) => /^-[a-zA-Z]*O$/.test(arg));
  const url = args.findLast((arg) => /^https?:/.test(arg));
  if (url === undefined) return undefined;
  const output = at < 0 ? fileNameIn(url) : (args[at + 1] ?? '');
  const answer = await fetchOnce(run, { method: 'GET', url });
  if (typeof answer === 'string') return failedWith(4, `wget: ${answer}`);
  if (answer.status >= 400) return failedWith(8, `wget: server returned error: HTTP/1.1 ${answer.status}`);
  if (output === '-') return commandAnswer(answer.text.slice(0, STDOUT_LIMIT));
  run.files.put(output, answer.text);
  return commandAnswer('');
}

/** The check of RackHD's downloads: the digest that the daemon answers, in quotes, is that of the file. */
const DIGEST_CHECK = /^test `curl (\S+)` = \\"`md5sum (\S+) *\| *awk '\{print \$1\}'`\\"$/;

export const isDigestCheck = (command: string): boolean => DIGEST_CHECK.test(command);

export async function answerDigestCheck(run: CommandRun): Promise<CommandAnswer> {
  const [, url = '', path = ''] = DIGEST_CHECK.exec(run.command) ?? [];
  const answer = await fetchOnce(run, { method: 'GET', url });
  return commandAnswer('', typeof answer !== 'string' && hasDigest(run.files.at(path), answer) ? 0 : 1);
}

const isKnownMethod = (method: string): method is 'GET' | 'POST' | 'PUT' => ['GET', 'POST', 'PUT'].includes(method);

/** @returns the answer, or why there is none */
async function fetchOnce({ machine, signal }: CommandRun, asking: SouthRequest, data?: string) {
  let body: unknown;
  try {
    body = data === undefined ? undefined : JSON.parse(data);
  } catch {
    return 'a twin sends JSON only';
  }
  try {
    return await machine.around.ask(machine, { ...asking, ...(body !== undefined && { body }) }, signal);
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}
