/** The job that writes an image, on a drive that is a file, with the real tools and an image server: what a bad image leaves. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ImageWrite, imageFacts, writeImageCommand } from '../../../engine/install/image-commands.ts';
import { Bay } from '../../support/bay.ts';
import { folder } from '../../support/folder.ts';
import { needing } from '../../support/needing.ts';
import { onPath } from '../../support/on-path.ts';
import type { Scope } from '../../support/scope.ts';

const run = promisify(execFile);
const lacking = ['curl', 'sfdisk', 'mkfs.vfat', 'mcopy', 'xz', 'zstd'].filter(
  (name) => onPath(name) === undefined && !existsSync(`/usr/sbin/${name}`),
);
const test = needing(lacking.length > 0 ? `${lacking.join(', ')}: not installed` : undefined, 'image tools');

const MIB = 1024 * 1024;
const WWN = '5000c500000000aa';

/** In place of a kernel, which has no size of a file, and no devices for partitions in it: they are files too. */
const blockdev = `
case $1 in
  --getsize64) exec stat -c %s "$2" ;;
  --rereadpt)
    sfdisk --dump "$2" | sed -n 's/^.*sda\\([0-9]*\\) : start= *\\([0-9]*\\), size= *\\([0-9]*\\).*/\\1 \\2 \\3/p' |
      while read -r number start size; do
        mkdir -p "$bay/sys/block/sda/sda$number"
        echo "$start" >"$bay/sys/block/sda/sda$number/start"
        truncate -s "$((size * 512))" "$bay/dev/sda$number"
      done
    ;;
esac
`;
/** Only root can mount. */
const mount = `echo "$3" >"$4.device"\n`;
const umount = `mcopy -i "$(cat "$1.device")" "$1"/* ::/\n`;

/** @param changed bytes that the server sends from the second time on */
async function serve(t: Scope, bytes: Buffer, changed = bytes): Promise<string> {
  let begun = 0;
  const server = createServer(({ method, headers }, response) => {
    response.setHeader('accept-ranges', 'bytes');
    if (method === 'HEAD') return void response.end();
    const [, from, to] = (/^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []).map(Number);
    if (from === 0) begun += 1;
    const sent = begun > 1 ? changed : bytes;
    response.statusCode = (from ?? 0) < sent.length ? 206 : 416;
    response.end(sent.subarray(from, (to ?? 0) + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/image`;
}

const sumOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A raw image: random contents behind a partition table of this kind, or without one. */
function rawImage(t: Scope, label?: 'dos' | 'gpt'): Buffer {
  const path = join(folder(t), 'raw');
  const bytes = randomBytes(4 * MIB);
  bytes.fill(0, 0, MIB);
  bytes.fill(0, 3 * MIB);
  writeFileSync(path, bytes);
  const sfdisk = existsSync('/usr/sbin/sfdisk') ? '/usr/sbin/sfdisk' : 'sfdisk';
  if (label !== undefined) execFileSync(sfdisk, [path], { input: `label: ${label}\n2048,4096\n`, stdio: 'pipe' });
  return readFileSync(path);
}

/** Resolves with what the job reports, and the drive before and after it. */
async function written(t: Scope, write: Pick<ImageWrite, 'format' | 'sha256' | 'url'>) {
  const bay = new Bay(t, [{ name: 'sda', wwn: WWN, size: 16 * MIB }]);
  for (const [name, text] of Object.entries({ blockdev, mount, umount })) bay.program(name, text);
  const before = bay.read('sda');
  const { command } = writeImageCommand({
    run: 'w-1',
    devName: 'sda',
    wwid: `naa.${WWN}`,
    grow: true,
    seed: { 'meta-data': '{}' },
    ...write,
  });
  const script = join(folder(t), 'command');
  writeFileSync(script, command);
  const env = { ...process.env, ...bay.env, PATH: `${bay.env.PATH}:/usr/sbin:/sbin`, MTOOLS_SKIP_CHECK: '1' };
  const { stdout } = await run('sh', [script], { env });
  return { facts: imageFacts(stdout), before, after: bay.read('sda'), drive: (name: string) => bay.drive(name) };
}

const packers = { gz: ['gzip', '-c'], xz: ['xz', '-c'], zst: ['zstd', '-qc'] } as const;
const packed = (bytes: Buffer, format: keyof typeof packers): Buffer => {
  const [program, flag] = packers[format];
  return execFileSync(program, [flag], { input: bytes, maxBuffer: 64 * MIB });
};

for (const format of ['gz', 'xz', 'zst'] as const) {
  test.serial(
    `a truncated image in ${format} is refused, although its checksum is right, and leaves the disk as it is`,
    async (t) => {
      const whole = packed(rawImage(t, 'gpt'), format);
      const bytes = whole.subarray(0, whole.length - 100);
      const { facts, before, after } = await written(t, { format, sha256: sumOf(bytes), url: await serve(t, bytes) });
      t.is(facts.code, 'IMAGE_MISMATCH');
      t.is(facts.message, `the image is empty, or is no complete ${format}; the disk is unchanged`);
      t.true(after.equals(before));
    },
  );

  test.serial(`an image in ${format} that is larger than the disk is refused before the disk is changed`, async (t) => {
    const bytes = packed(Buffer.alloc(17 * MIB), format);
    const { facts, before, after } = await written(t, { format, sha256: sumOf(bytes), url: await serve(t, bytes) });
    t.is(facts.code, 'IMAGE_TOO_LARGE');
    t.is(facts.message, `the image has ${17 * MIB} bytes, and sda has ${16 * MIB}; the disk is unchanged`);
    t.true(after.equals(before));
  });
}

test.serial(
  'an image that changes while it is written leaves a disk without partition tables, which does not boot',
  async (t) => {
    const [good, other] = [rawImage(t, 'gpt'), rawImage(t, 'gpt')];
    const url = await serve(t, good, other);
    const { facts, after } = await written(t, { format: 'raw', sha256: sumOf(good), url });
    t.is(facts.code, 'IMAGE_MISMATCH');
    t.regex(facts.message ?? '', /^the image changed while it was written; the disk has a part of the image/);
    t.true(after.subarray(0, MIB).every((byte) => byte === 0));
    t.true(after.subarray(-MIB).every((byte) => byte === 0));
  },
);

test.serial('an image without a partition table is no operating system', async (t) => {
  const bytes = packed(rawImage(t), 'zst');
  const { facts, after } = await written(t, { format: 'zst', sha256: sumOf(bytes), url: await serve(t, bytes) });
  t.is(facts.code, 'IMAGE_MISMATCH');
  t.regex(facts.message ?? '', /^the image has no partition table/);
  t.true(after.subarray(0, MIB).every((byte) => byte === 0));
});

for (const [label, format] of [
  ['dos', 'xz'],
  ['gpt', 'zst'],
] as const) {
  test.serial(
    `an image with the partition table ${label} gets a partition behind its own for the data of the first boot`,
    async (t) => {
      const raw = rawImage(t, label);
      const bytes = packed(raw, format);
      const { facts, after, drive } = await written(t, { format, sha256: sumOf(bytes), url: await serve(t, bytes) });
      t.like(facts, { code: 'OK', length: String(raw.length), label, grown: 'no', seed: 'sda2' });
      t.true(after.subarray(MIB, 3 * MIB).equals(raw.subarray(MIB, 3 * MIB)));
      const seed = execFileSync('mcopy', ['-i', drive('sda2'), '::/meta-data', '-'], { encoding: 'utf8' });
      t.is(seed, '{}\n');
    },
  );
}
