/** The files of `fixtures/deploy`, and the programs that check them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { onPath } from '../ava/on-path.ts';

export const deployed = (name: string): string => packagePath(join('fixtures/deploy', name));
export const deployedText = (name: string): string => readFileSync(deployed(name), 'utf8');

/** As YAML 1.1, which Docker and Kubernetes read. */
const options = { merge: true, version: '1.1' } as const;

export const yamlOf = <T>(name: string): T => parse(deployedText(name), options) as T;
export const documentsOf = <T>(name: string): T[] =>
  parseAllDocuments(deployedText(name), options).map((document) => document.toJS() as T);

/** The folder into which `.ci/run` installs hadolint and kubernetes-validate. */
const programs = packagePath('node_modules/.cache/nodewright/deploy/bin');

/** Returns the path of a program that checks files. */
export const checker = (name: string): string | undefined =>
  onPath(name) ?? [join(programs, name)].find((path) => existsSync(path));

export const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: packagePath('.'), encoding: 'utf8', stdio: 'pipe' });

/** Makes the authority, certificates, passwords and URLs. @param hosts `HOST` variables of the script */
export function makeAuthority(folder: string, hosts: NodeJS.ProcessEnv = {}): void {
  const env = { ...process.env, CA: join(folder, 'ca.pem'), NODEWRIGHT_UID: String(process.getuid?.()), ...hosts };
  execFileSync(deployed('authority.sh'), [folder], { env, stdio: 'pipe' });
}
