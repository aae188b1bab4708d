# shellcheck shell=bash
# Sourced by test-release and Tests/Cluster/run: Debians of their own, made once (a minute each) and
# kept in ~/.cache/rowgate-test; what runs in one runs in a copy. After requirements.sh.
#
#   systems_allowed               whether this machine allows namespaces and overlays
#   system_root SUITE PACKAGES    where the one is that has these packages, with commas
#   system_make SUITE PACKAGES    makes it unless it is there
#   system_copy ROOT SCRATCH      in a mount namespace of the caller's: SCRATCH/root, thrown away with it

system_cache=${XDG_CACHE_HOME:-$HOME/.cache}/rowgate-test

systems_allowed() {
  unshare --mount --propagation private --net --pid --fork sh -ec 'mount -t tmpfs tmpfs /mnt; cd /mnt
    mkdir lower upper work root
    mount -t overlay overlay root -o lowerdir=lower,upperdir=upper,workdir=work' 2>/dev/null
}

# Another one when something else is needed.
system_root() { echo "$system_cache/$1-$(echo "$2" | cksum | cut -d ' ' -f 1)"; }

system_make() {
  local root mirror
  root=$(system_root "$1" "$2")
  [ ! -d "$root" ] || return 0
  mirror=$(debian_mirror) || return 1
  echo "making a $1 in $root: a minute, once ..." >&2
  rm -rf "$root.new"
  mkdir -p "$system_cache"
  nice mmdebstrap --quiet --variant=minbase --aptopt='APT::Install-Recommends "false"' \
    --aptopt='Acquire::Check-Date "false"' --aptopt='Acquire::Check-Valid-Until "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --include="$2" "$1" "$root.new" "$mirror" || return 1
  mv "$root.new" "$root"
}

system_copy() {
  mount -t tmpfs tmpfs "$2"
  mkdir "$2/upper" "$2/work" "$2/root"
  mount -t overlay overlay "$2/root" -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work"
  mount -t proc proc "$2/root/proc"
  mount --rbind /dev "$2/root/dev"
}
