/** Net-SNMP's agent, a real one, with one user of each security level. */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';
import { freeUdpPort } from './free-udp-port.ts';

export const noSnmpd =
  spawnSync('sh', ['-c', 'command -v snmpd']).status === 0 ? undefined : 'snmpd (package snmpd) is not installed';

export const COMMUNITY = 'lab-secret';
export const USERS = {
  none: { user: 'none' },
  auth: { user: 'auth', authPassword: 'auth-secret' },
  priv: { user: 'priv', authProtocol: 'sha256', authPassword: 'auth-secret', privPassword: 'priv-secret' },
} as const;
/** In the column ifPhysAddress: six bytes that are a text too. */
export const TEXT_MAC = { oid: '1.3.6.1.2.1.2.2.1.6.77', mac: '73:77:69:74:63:68' };

export async function startSnmpd(t: Scope): Promise<{ host: string; port: number }> {
  const [host, port] = ['127.0.0.1', await freeUdpPort()];
  const at = folder(t);
  const config = join(at, 'snmpd.conf');
  const { auth, priv } = USERS;
  writeFileSync(
    config,
    [
      `agentaddress udp:${host}:${port}`,
      `rocommunity ${COMMUNITY}`,
      `createUser none`,
      `createUser auth SHA "${auth.authPassword}"`,
      `createUser priv SHA-256 "${priv.authPassword}" AES "${priv.privPassword}"`,
      'rouser none noauth\nrouser auth auth\nrouser priv priv',
      'sysName rack switch 7',
      `override ${TEXT_MAC.oid} octet_str "switch"\n`,
    ].join('\n'),
  );
  const env = { ...process.env, SNMP_PERSISTENT_DIR: join(at, 'var'), MIBS: '' };
  const agent = spawn('snmpd', ['-f', '-Lo', '-C', '-c', config], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => void agent.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    let said = '';
    agent.stdout.on('data', (part) => {
      said += part;
      if (said.includes('NET-SNMP version')) resolve();
    });
    agent.once('exit', () => reject(new Error(`snmpd ended: ${said}`)));
    agent.once('error', reject);
  });
  return { host, port };
}
