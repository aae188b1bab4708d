# shellcheck shell=bash
# shellcheck disable=SC2154  # room_packages of requirements.sh
# Sourced by scripts that need a cluster, in the project's folder, after requirements.sh and systems.sh.
#
#   cluster_require                     if no cluster can run here: prints why, exits with 77
#   cluster_enter SCRATCH COMMAND...    COMMAND with the root of a Debian with RabbitMQ, to be written to,
#                                       as its last argument; in namespaces that end with it

cluster_suite=(trixie rabbitmq-server)

cluster_absent() { echo "run: $*: NO CLUSTER WAS TRIED" >&2; exit 77; }

cluster_require() {
  [ "$(id -u)" = 0 ] || cluster_absent "this needs root"
  systems_allowed || cluster_absent "this machine allows no namespaces, or no overlays"
  (require "${room_packages[@]}" mmdebstrap debian-archive-keyring iproute2 python3) ||
    cluster_absent "packages are missing"
  unshare --net sh -ec 'ip link add bridge type bridge; ip link add cable type veth' 2>/dev/null ||
    cluster_absent "this kernel has no bridges, or no virtual cables"
  system_make "${cluster_suite[@]}" || cluster_absent "no Debian with RabbitMQ can be made here"
}

cluster_enter() {
  local scratch=$1
  shift
  # shellcheck disable=SC2016  # expanded by the inner shell
  ROOT=$(system_root "${cluster_suite[@]}") SCRATCH=$scratch/system \
    unshare --mount --propagation private --net --pid --fork --kill-child bash -euc '
      . packaging/systems.sh
      mkdir "$SCRATCH"
      system_copy "$ROOT" "$SCRATCH"
      mkdir -p /run/netns
      mount -t tmpfs tmpfs /run/netns
      mount -t proc proc /proc
      exec "$@" "$SCRATCH/root"' cluster "$@"
}
