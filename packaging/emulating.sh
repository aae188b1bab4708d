# Sourced by test-arm64 and Tests/VM/image, after requirements.sh: runs arm64 programs by emulation.
#
#   emulating COMMAND...   runs a command directly if qemu-user is registered in the kernel, as on most
#                          machines with qemu-user; otherwise as root of a namespace with a private
#                          registration

emulating() {
  local go pid status=0
  require qemu-user-static arch-test
  if arch-test arm64 >/dev/null 2>&1; then
    "$@"
    return
  fi
  go=$(mktemp -d)
  mkfifo "$go/mapped"
  # Linux 6.7 and later: each user namespace has its own binfmt_misc registrations.
  GO=$go/mapped unshare --user --mount --pid --fork --kill-child bash -euc '
    read -r < "$GO"
    mount -t proc proc /proc
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    cat /usr/lib/binfmt.d/qemu-aarch64.conf > /proc/sys/fs/binfmt_misc/register
    exec "$@"' emulating "$@" &
  pid=$!
  until [ "$(readlink "/proc/$pid/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do
    kill -0 "$pid" || return 1
    sleep 0.1
  done
  # Maps all user ids to themselves.
  echo 0 0 65536 > "/proc/$pid/uid_map"
  echo 0 0 65536 > "/proc/$pid/gid_map"
  echo > "$go/mapped"
  wait "$pid" || status=$?
  rm -rf "$go"
  return "$status"
}
