/**
 * The options of the tasks that run an installer, under RackHD's names. The patterns admit no control characters, and no
 * characters that end a word of a kernel command line or of an iPXE script: a value is always one value, wherever it goes.
 */
import { Type } from 'typebox';
import { IPV4_PATTERN } from '../../define/address.ts';
import { secret } from '../../define/index.ts';

const word = (pattern: string, maxLength: number, description: string) =>
  Type.String({ pattern, minLength: 1, maxLength, description });

/** A line of any text. */
const LINE = '^[^\\x00-\\x1f\\x7f\\u2028\\u2029]*$';
const HOSTNAME_PATTERN = '^[A-Za-z0-9]$|^[A-Za-z0-9][A-Za-z0-9-]{0,61}[A-Za-z0-9]$';
const DOMAIN = '^[A-Za-z0-9][A-Za-z0-9.-]*$';
/** No query and no fragment: installers append paths to it. */
const PLACE = '^[A-Za-z0-9._~:/@!&()*+,;=%\\[\\]-]+$';
const FILE = '^[A-Za-z0-9][A-Za-z0-9._/-]*$';
const IPV6 = '^[0-9A-Fa-f:.]{2,45}$';

const sshKey = word(
  "^(ssh-|ecdsa-|sk-)[A-Za-z0-9@.-]+ [A-Za-z0-9+/=]+( [^\\x00-\\x1f\\x7f'\\u2028\\u2029]*)?$",
  16_384,
  'A public key, as a line of authorized_keys.',
);
const password = secret(
  Type.String({ pattern: LINE, minLength: 1, maxLength: 512, description: 'Stored and sent as SHA-512-crypt only.' }),
);

const user = Type.Object(
  {
    name: word('^[a-z_][a-z0-9_-]{0,30}$', 31, 'Login name.'),
    password: Type.Optional(password),
    uid: Type.Optional(Type.Integer({ minimum: 500, maximum: 65_000 })),
    sshKey: Type.Optional(sshKey),
  },
  { additionalProperties: false },
);

const vlanIds = Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 4_095 }), { minItems: 1, maxItems: 1 }));
const device = Type.Object(
  {
    device: word('^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$', 32, 'Its name in the system, such as eno1 or vmnic0.'),
    ipv4: Type.Optional(
      Type.Object(
        {
          ipAddr: word(IPV4_PATTERN, 15, 'Address.'),
          netmask: word(IPV4_PATTERN, 15, 'Netmask.'),
          gateway: Type.Optional(word(IPV4_PATTERN, 15, 'Default gateway.')),
          vlanIds,
        },
        { additionalProperties: false },
      ),
    ),
    ipv6: Type.Optional(
      Type.Object(
        {
          ipAddr: word(IPV6, 45, 'Address.'),
          prefixlen: Type.Integer({ minimum: 1, maximum: 128 }),
          gateway: Type.Optional(word(IPV6, 45, 'Default gateway.')),
          vlanIds,
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

const fileSystems = ['ext3', 'ext4', 'xfs', 'btrfs', 'swap', 'biosboot'] as const;
const partition = Type.Object(
  {
    mountPoint: word('^(/[A-Za-z0-9._/-]*|swap|biosboot)$', 255, 'Mount point, swap or biosboot.'),
    size: word('^([1-9][0-9]{0,8}|auto)$', 9, 'MiB, or auto: all that is left.'),
    fsType: Type.Optional(Type.Unsafe<(typeof fileSystems)[number]>({ type: 'string', enum: [...fileSystems] })),
  },
  { additionalProperties: false },
);

const hosts = (description: string) => Type.Array(word(DOMAIN, 253, 'Address or name.'), { maxItems: 16, description });
const units = (description: string) =>
  Type.Array(word('^[A-Za-z0-9][A-Za-z0-9@:._-]*$', 128, 'Unit.'), { maxItems: 100, description });

/** For every installer. */
export const everyInstaller = {
  version: word('^[A-Za-z0-9][A-Za-z0-9._+-]*$', 64, 'Version or code name of the system.'),
  repo: Type.Optional(
    word(PLACE, 1_024, 'URL of the installation source, without a query, or a path below the file server.'),
  ),
  hostname: word(HOSTNAME_PATTERN, 63, 'Host name.'),
  domain: Type.Optional(word(DOMAIN, 190, 'Domain.')),
  rootPassword: Type.Optional(password),
  rootSshKey: Type.Optional(sshKey),
  users: Type.Array(user, { maxItems: 32, description: 'More users: name, password, uid, sshKey.' }),
  dnsServers: Type.Array(word(IPV6, 45, 'Address.'), { maxItems: 3, description: 'Addresses of name servers.' }),
  ntpServers: hosts('Time servers.'),
  networkDevices: Type.Array(device, { maxItems: 16, description: 'Static addresses. None: DHCP.' }),
  installDisk: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), word('^[A-Za-z0-9/._:-]+$', 256, 'Name.')], {
      description: 'Identifier, device name or wwid of the driveId catalog, or a path below /dev.',
    }),
  ),
  kargs: Type.Record(
    Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' }),
    Type.String({ pattern: '^[A-Za-z0-9._:/,=@+-]*$', maxLength: 256 }),
    {
      maxProperties: 64,
      description: 'Kernel arguments of the installer, and of the installed system where possible.',
    },
  ),
  postInstallCommands: Type.Array(Type.String({ pattern: LINE, minLength: 1, maxLength: 8_192 }), {
    maxItems: 100,
    description: 'Shell commands, one a line, run as root in the new system before it boots.',
  }),
  profile: word(FILE, 512, 'iPXE profile of the installer.'),
  installScript: word(FILE, 512, 'Template of the answer file.'),
};

/** For installers of Linux. */
export const linuxInstaller = {
  timezone: word('^[A-Za-z0-9_+/-]+$', 64, 'Time zone.'),
  comport: word('^tty[A-Za-z0-9]+$', 16, 'Serial console.'),
  packages: Type.Array(word('^[@A-Za-z0-9-][A-Za-z0-9 @^.:+*_-]*$', 128, 'Package.'), {
    maxItems: 500,
    description: "Additional packages, in the distribution's own names.",
  }),
  kvm: Type.Boolean({ description: 'Also install KVM and libvirt.' }),
  enableServices: units('Units to enable.'),
  disableServices: units('Units to disable.'),
  postScript: word(FILE, 512, 'Template of the script that runs in the new system.'),
};

export const partitions = {
  installPartitions: Type.Array(partition, { maxItems: 32, description: 'mountPoint, size, fsType. None: automatic.' }),
};

/** Defaults of the optional lists, for every installer. */
export const everyDefault = {
  hostname: 'localhost',
  users: [],
  dnsServers: [],
  ntpServers: [],
  networkDevices: [],
  kargs: {},
  postInstallCommands: [],
};

/** The same for installers of Linux. */
export const linuxDefaults = {
  ...everyDefault,
  timezone: 'UTC',
  comport: 'ttyS0',
  packages: [],
  kvm: false,
  enableServices: [],
  disableServices: [],
  postScript: 'linux-post-install',
};
