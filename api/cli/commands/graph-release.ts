/** `nw graph release`: lets a version of a graph run again that stopped the daemon. */
import type { Command } from 'commander';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { chosenHash } from '../graph-version.ts';
import { showAs } from '../output.ts';
import { inform, printableText } from '../terminal.ts';

/** @param graph the command `nw graph` */
export function addGraphRelease(graph: Command): void {
  connecting(graph.command('release <graph> [version]'))
    .description('lets a version run that is quarantined, by the beginning of its hash: by default the only one')
    .action(release);
}

const release = (name: string, start: string | undefined, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body: versions } = await client.get('/workflows/graphs/:name/versions', { params: { name } });
    const quarantined = versions.filter(({ quarantine }) => quarantine !== null);
    const hash =
      start === undefined
        ? onlyHash(name, quarantined)
        : chosenHash(
            versions.map((version) => version.hash),
            start,
          );
    const { body } = await client.put('/workflows/graphs/:name/versions/:hash/action', {
      params: { name, hash },
      body: { command: 'release' },
    });
    showAs(options.output, body, () => inform(printableText(`${name} ${hash.slice(0, 12)}: may run again`)));
  });

function onlyHash(name: string, quarantined: readonly { hash: string }[]): string {
  const [only] = quarantined;
  if (only !== undefined && quarantined.length === 1) return only.hash;
  throw new CommandError(
    `found ${quarantined.length} quarantined versions of ${name}, expected one; nw graph versions`,
    EXIT.usage,
  );
}
