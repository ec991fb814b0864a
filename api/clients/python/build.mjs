/** Makes the Python client from the OpenAPI document: `nodewright_client-VERSION` as a wheel and as an archive of its sources. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { epoch, root, run, version } from '../tools.mjs';
import { clientDocument } from './document.mjs';

const here = join(root, 'api/clients/python');

/** Writes the package `nodewright` below the folder. @throws Error if the generator warns */
function generate(to, document) {
  const settings = ['--config', join(here, 'generator.yaml'), '--custom-template-path', join(here, 'templates')];
  const target = ['--meta', 'none', '--fail-on-warning', '--overwrite', '--output-path', to];
  // It sorts sets, in which names that differ only in case keep the order of their hashes.
  const env = { PYTHONHASHSEED: '0' };
  run('openapi-python-client', ['generate', '--path', document, ...settings, ...target], { env });
}

/** The standard `quote` leaves an empty part and dots as they are, by which the URL is that of another operation. */
function checkPaths(folder) {
  for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.py'))) {
    const source = readFileSync(join(folder, file), 'utf8');
    writeFileSync(
      join(folder, file),
      source.replace('from urllib.parse import quote\n', 'from ...paths import quote\n'),
    );
  }
}

/** @param out folder that gets both files */
export function buildPython(out) {
  const place = mkdtempSync(join(tmpdir(), 'nodewright-python-'));
  try {
    const document = join(place, 'openapi.json');
    writeFileSync(document, JSON.stringify(clientDocument()));
    const source = join(place, 'source');
    mkdirSync(source);
    generate(join(source, 'nodewright'), document);
    checkPaths(join(source, 'nodewright/api'));
    for (const name of ['paths.py', 'session.py']) copyFileSync(join(here, name), join(source, 'nodewright', name));
    // PEP 561: it has types.
    writeFileSync(join(source, 'nodewright/py.typed'), '');
    for (const name of ['pyproject.toml', 'README.md']) copyFileSync(join(here, name), join(source, name));
    copyFileSync(join(root, 'LICENSE'), join(source, 'LICENSE'));
    run('hatchling', ['build', '--directory', out], {
      cwd: source,
      env: { NODEWRIGHT_VERSION: version, SOURCE_DATE_EPOCH: epoch() },
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
