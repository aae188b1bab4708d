# shellcheck shell=bash
# Sourced by test-release and Tests/Cluster/run, after requirements.sh: Debian systems, created once (a
# minute each) and stored in ~/.cache/rowgate-test. Programs run in a copy of a system.
#
#   systems_allowed               whether this machine allows namespaces and overlays
#   system_root SUITE PACKAGES    prints the folder of the system with these packages, comma-separated
#   system_make SUITE PACKAGES    creates the system if it does not exist
#   system_copy ROOT SCRATCH      mounts a temporary copy at SCRATCH/root, in the caller's mount namespace

system_cache=${XDG_CACHE_HOME:-$HOME/.cache}/rowgate-test

systems_allowed() {
  unshare --mount --propagation private --net --pid --fork sh -ec 'mount -t tmpfs tmpfs /mnt; cd /mnt
    mkdir lower upper work root
    mount -t overlay overlay root -o lowerdir=lower,upperdir=upper,workdir=work' 2>/dev/null
}

# Different packages give a different system.
system_root() { echo "$system_cache/$1-$(echo "$2" | cksum | cut -d ' ' -f 1)"; }

system_make() {
  local root mirror
  root=$(system_root "$1" "$2")
  [ ! -d "$root" ] || return 0
  mirror=$(debian_mirror) || return 1
  echo "creating a $1 system in $root, once, for a minute ..." >&2
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
