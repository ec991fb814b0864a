#!/usr/bin/env bash
# Builds the image, and runs its program, where neither a container engine nor a registry of images can be reached. Needs root.
#
# image.sh STORE base NODE NPM    makes the base image: Debian by its packages, and a given Node.js with npm; not the published one
# image.sh STORE build            runs the Dockerfile of the working directory, by Buildah, in chroots
# image.sh STORE inspect          prints the configuration of the image as JSON
# image.sh STORE enter USER COMMAND...   runs a command as a user without capabilities, on the image's root, which is read-only,
#                                 in a network of its own; /tmp and the volume are empty
#
# STORE is a folder for all that this writes.
set -euo pipefail
export BUILDAH_ISOLATION=chroot
BASE=docker.io/library/node:24-bookworm-slim
IMAGE=localhost/nodewright
store=$1

images() { buildah --root "$store/images" --runroot "$store/run" --storage-driver vfs "$@"; }

make_base() {
  local root=$store/base node=$1 npm=$2 settings=() container
  debootstrap --variant=minbase bookworm "$root"
  rm -f "$root"/var/cache/apt/archives/*.deb
  cp "$node" "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules"
  cp -R "$npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  chroot "$root" groupadd --gid 1000 node
  chroot "$root" useradd --uid 1000 --gid node --create-home node
  # A site may have a certificate authority of its own.
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
    cp "$NODE_EXTRA_CA_CERTS" "$root/usr/local/share/ca.pem"
    settings=(--env NODE_EXTRA_CA_CERTS=/usr/local/share/ca.pem)
  fi
  container=$(images from scratch)
  images add --quiet "$container" "$root" /
  images config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}" "$container"
  images commit --quiet --rm "$container" "$BASE"
}

enter() {
  local root
  root=$(images mount "$(images from --pull-never "$IMAGE")")
  # shellcheck disable=SC2016
  exec unshare --mount --net --pid --fork --kill-child sh -euc '
    root=$1 user=$2
    shift 2
    ip link set lo up
    mount --bind "$root" "$root"
    mount -o remount,ro,bind "$root"
    mount -t tmpfs none "$root/tmp"
    mount -t tmpfs -o "mode=700,uid=$user,gid=$user" none "$root/var/lib/nodewright"
    mount -t proc none "$root/proc"
    mount --bind /dev "$root/dev"
    exec setpriv --no-new-privs chroot --userspec "$user:$user" "$root" "$@"
  ' sh "$root" "$@"
}

case $2 in
  base) make_base "${@:3}" ;;
  build) images bud --quiet --pull-never --format docker -t "$IMAGE" . ;;
  inspect) images inspect --type image "$IMAGE" ;;
  enter) enter "${@:3}" ;;
  *) exit 2 ;;
esac
