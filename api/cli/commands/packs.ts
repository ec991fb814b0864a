/** `nw pack`: packs of SKUs, checked, built and uploaded. */

import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import type { PackFindings } from '../../../engine/assembly/authoring.ts';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { idOf } from '../id-of.ts';
import { appendValue } from '../option-values.ts';
import { type OutputFormat, outputFormats } from '../output.ts';
import { colors, printableText, say } from '../terminal.ts';

interface CheckOptions {
  node?: string[];
  output: OutputFormat;
}

export function addPackCommands(root: Command): void {
  const pack = root.command('pack').description('a pack of a SKU: a folder with config.json, or its archive');
  pack
    .command('check <pack>')
    .description('checks a pack as an upload would; needs no daemon')
    .option(
      '--node <file>',
      'simulates its graphs on a recorded node, if its rules match; may be repeated',
      appendValue,
    )
    .addOption(new Option('-o, --output <format>', 'form of the result').choices(outputFormats).default('table'))
    .action(check);
  pack
    .command('build <folder>')
    .description('checks a pack, and writes its archive; the same files give the same bytes')
    .option('-f, --file <file>', 'the archive; default: <name>-<version>.tar.gz')
    .action(build);
  connecting(pack.command('push <pack>'))
    .description(
      'checks a pack, and uploads it: to a SKU, or to the one with its name, which is created if it is missing',
    )
    .option('--sku <sku>', 'id or name of the SKU')
    .action(push);
}

/** ms for each graph. */
const GRAPH_BUDGET_MS = 10_000;

async function findingsIn(path: string, recordings: string[] = []): Promise<PackFindings> {
  if ((await stat(path).catch(() => undefined)) === undefined)
    throw new CommandError(`found no pack ${path}; expected a folder or an archive`, EXIT.usage);
  const [{ checkPack }, { newSku }, { validator }] = await Promise.all([
    import('../../../engine/assembly/authoring.ts'),
    import('../../../engine/api-port/skus.ts'),
    import('../../../engine/api-port/values.ts'),
  ]);
  const skuViolations = (sku: object) => (validator.accepts(newSku, sku) ? [] : validator.violations(newSku, sku));
  return checkPack(path, { recordings, budgetMs: GRAPH_BUDGET_MS, skuViolations });
}

async function check(path: string, { node, output }: CheckOptions): Promise<void> {
  const findings = await findingsIn(path, node);
  if (output === 'json' || output === 'jsonl') say(JSON.stringify(findings, null, output === 'json' ? 2 : 0));
  else for (const line of linesOf(path, findings)) say(line);
  if (!findings.ok) throw new CommandError('The pack is rejected');
}

function linesOf(path: string, { ok, name, version, errors, graphs, tasks, hasCode }: PackFindings): string[] {
  const about = [
    name ?? 'for an existing SKU',
    version,
    countText(graphs.length, 'graph'),
    countText(tasks.length, 'task'),
  ];
  return [
    `${printableText(path)}  ${ok ? '' : `${colors.red('rejected')}  `}${about.filter(Boolean).map(String).map(printableText).join(', ')}`,
    ...errors.map(
      (error) => `  ${printableText(error.path === '' ? error.message : `${error.path}: ${error.message}`)}`,
    ),
    ...(hasCode ? [`  ${colors.yellow('!   ')}  it has code, which a daemon accepts with packCode: true only`] : []),
    ...graphs.flatMap((graph) => [
      `  ${printableText(`${graph.name}  ${graph.file}`)}`,
      ...graph.warnings.map(
        ({ code, message }) => `    ${colors.yellow('!')}  ${printableText(message)}  ${colors.dim(code)}`,
      ),
      ...graph.simulated.map(({ recording, result }) => `    ${printableText(`on ${recording}: ${result}`)}`),
    ]),
  ];
}

/** @throws CommandError if it is rejected, after its errors are shown */
async function acceptedFindings(path: string): Promise<PackFindings> {
  const findings = await findingsIn(path);
  if (findings.ok) return findings;
  for (const line of linesOf(path, findings)) say(line);
  throw new CommandError('The pack is rejected');
}

async function build(folder: string, { file }: { file?: string }): Promise<void> {
  const { name, version } = await acceptedFindings(folder);
  const { buildPack } = await import('../../../engine/assembly/authoring.ts');
  const plain = [name ?? 'pack', version].filter((part) => part !== null).join('-');
  const target = file ?? `${plain.replace(/[^\w.-]+/g, '-')}.tar.gz`;
  const draft = `${target}.part`;
  try {
    await pipeline(await buildPack(folder), createWriteStream(draft, { flags: 'wx' }));
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  say(target);
}

const push = (path: string, { sku, ...options }: ConnectionOptions & { sku?: string }): Promise<void> =>
  withClient(options, async (client) => {
    const { name } = await acceptedFindings(path);
    const bytes = await bytesOf(path);
    const id = await skuFor(client, sku, name);
    const type = 'application/gzip';
    const answer =
      id === undefined
        ? await client.upload('POST', '/skus/pack', bytes, type)
        : await client.upload('PUT', '/skus/:id/pack', bytes, type, { params: { id } });
    say(String((answer as { id?: string } | undefined)?.id ?? id ?? ''));
  });

async function bytesOf(path: string): Promise<Uint8Array> {
  const { buildPack } = await import('../../../engine/assembly/authoring.ts');
  return buffer((await stat(path)).isDirectory() ? await buildPack(path) : createReadStream(path));
}

/** @returns undefined: the pack registers its SKU */
async function skuFor(client: Client, given: string | undefined, name: string | null): Promise<string | undefined> {
  const wanted = given ?? name;
  if (wanted === null) throw new CommandError('The pack names no SKU; say which one it is for: --sku NAME', EXIT.usage);
  if (given !== undefined) return idOf(client, 'SKU', given);
  return (await client.get('/skus', { query: { name: wanted } })).body[0]?.id;
}
