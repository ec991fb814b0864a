/** Makes the Ansible collection: `nodewright-nodewright-VERSION.tar.gz`. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { epoch, root, run, version } from '../tools.mjs';

const PARTS = ['galaxy.yml', 'README.md', 'meta', 'plugins'];

/** @param out folder that gets the archive */
export function buildAnsible(out) {
  const place = mkdtempSync(join(tmpdir(), 'nodewright-ansible-'));
  try {
    const source = join(place, 'source');
    // Python writes its caches beside the sources.
    const filter = (path) => !path.includes('__pycache__');
    for (const name of PARTS) {
      cpSync(join(root, 'api/clients/ansible', name), join(source, name), { recursive: true, filter });
    }
    cpSync(join(root, 'LICENSE'), join(source, 'LICENSE'));
    const facts = join(source, 'galaxy.yml');
    writeFileSync(facts, readFileSync(facts, 'utf8').replace(/^version: .*$/m, `version: ${version}`));
    run('ansible-galaxy', ['collection', 'build', source, '--output-path', place]);
    packAgain(join(place, `nodewright-nodewright-${version}.tar.gz`), out);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** With the time of the commit: ansible-galaxy packs the present one. */
function packAgain(archive, out) {
  const packed = mkdtempSync(join(tmpdir(), 'nodewright-packed-'));
  try {
    execFileSync('tar', ['-xzf', archive, '-C', packed]);
    const same = [
      '--sort=name',
      `--mtime=@${epoch()}`,
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=u=rwX,go=rX',
    ];
    const name = `nodewright-nodewright-${version}.tar.gz`;
    execFileSync('tar', [
      ...same,
      '--use-compress-program=gzip -n',
      '-cf',
      join(out, name),
      '-C',
      packed,
      ...readdirSync(packed).sort(),
    ]);
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}
