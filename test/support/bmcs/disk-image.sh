#!/bin/sh
# Makes an image of a whole disk that boots with BIOS and UEFI, from a microkernel: `disk-image.sh MICROKERNEL OUT`. Its system
# finds the data of the first boot, gets an address and calls the callback.
set -eu
PATH=$PATH:/usr/sbin:/sbin
from=$1 out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/all" "$work/root"
(cd "$work/all" && gzip -dc "$from/initrd.img" | cpio --quiet -id)
cd "$work/root"
mkdir -p proc sys dev run tmp mnt bin usr/bin
cp "$work/all/usr/bin/busybox" usr/bin/busybox
ln -s ../usr/bin/busybox bin/sh
version=$(ls "$work/all/lib/modules")
mkdir -p "lib/modules/$version"
for module in e1000 ahci sd_mod vfat nls_cp437 nls_ascii; do
  modprobe -d "$work/all" -S "$version" --show-depends "$module" 2>/dev/null || true
done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u | while read -r file; do
  place=lib/modules/$version/${file#*/lib/modules/"$version"/}
  mkdir -p "$(dirname "$place")"
  cp "$file" "$place"
done
cp "$work/all/lib/modules/$version"/modules.order "$work/all/lib/modules/$version"/modules.builtin "lib/modules/$version/"
depmod -b "$work/root" "$version" 2>/dev/null
cp "$work/all/lease" lease
cat >init <<'END'
#!/bin/sh
export PATH=/bin:/sbin:/usr/bin
/usr/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
for module in e1000 ahci sd_mod vfat nls_cp437 nls_ascii; do modprobe -q "$module"; done
until [ -b /dev/sda1 ]; do sleep 1; done
for part in /dev/sda?; do
  if mount -t vfat -o ro "$part" /mnt 2>/dev/null; then
    if [ -e /mnt/meta-data ]; then break; fi
    umount /mnt
  fi
done
value() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" /mnt/meta-data; }
firmware=bios
if [ -d /sys/firmware/efi ]; then firmware=uefi; fi
ip link set eth0 up
until udhcpc -i eth0 -n -q -t 5 -s /lease; do sleep 1; done
echo "image: booted by $firmware"
until wget -q -O /dev/null "$(value nodewright-callback)&firmware=$firmware&hostname=$(value local-hostname)"; do sleep 1; done
echo "image: reported"
while :; do sleep 60; done
END
chmod 755 init
find . | cpio --quiet -o -H newc | gzip -1 >"$work/initrd"

# For UEFI: one program of kernel, command line and initrd.
printf 'console=ttyS0' >"$work/cmdline"
printf 'ID=example\n' >"$work/release"
objcopy --add-section .osrel="$work/release" --change-section-vma .osrel=0x20000 \
  --add-section .cmdline="$work/cmdline" --change-section-vma .cmdline=0x30000 \
  --add-section .linux="$from/vmlinuz" --change-section-vma .linux=0x2000000 \
  --add-section .initrd="$work/initrd" --change-section-vma .initrd=0x3000000 \
  /usr/lib/systemd/boot/efi/linuxx64.efi.stub "$work/boot.efi"
cat >"$work/syslinux.cfg" <<'END'
DEFAULT linux
LABEL linux
  LINUX /vmlinuz
  INITRD /initrd
  APPEND console=ttyS0
END
esp=$(($(du -k "$work/boot.efi" "$work/initrd" "$from/vmlinuz" | awk '{ sum += $1 } END { print sum }') + 2048))
esp=$((esp / 1024 * 1024 + 1024))
mkfs.vfat -F 16 -h 2048 -n ESP -C "$work/esp" "$esp" >/dev/null
mmd -i "$work/esp" ::/EFI ::/EFI/BOOT
mcopy -i "$work/esp" "$work/boot.efi" ::/EFI/BOOT/BOOTX64.EFI
mcopy -i "$work/esp" "$from/vmlinuz" "$work/initrd" "$work/syslinux.cfg" ::/
syslinux --install "$work/esp"
mkdir "$work/files"
echo 'kept' >"$work/files/witness"
mke2fs -q -t ext4 -d "$work/files" "$work/data" 4M

sectors=$((esp * 2))
truncate -s $(((2048 + sectors + 8192 + 2048) * 512)) "$work/disk"
sfdisk -q "$work/disk" <<END
label: gpt
start=2048, size=$sectors, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B, attrs=LegacyBIOSBootable
start=$((2048 + sectors)), size=8192, type=0FC63DAF-8483-4772-8E79-3D69D8477DE4
END
dd if="$work/esp" of="$work/disk" bs=1M seek=1 conv=notrunc status=none
dd if="$work/data" of="$work/disk" bs=512 seek=$((2048 + sectors)) conv=notrunc status=none
dd if=/usr/lib/syslinux/mbr/gptmbr.bin of="$work/disk" conv=notrunc status=none
gzip -1 <"$work/disk" >"$out"
