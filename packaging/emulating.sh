# Sourced by test-arm64 and Tests/VM/image, after requirements.sh: runs arm64 programs as if they were
# this machine's.
#
#   emulating COMMAND...   as it is where the kernel knows qemu-user, as on most machines where that is
#                          installed; else as root of a namespace in which it does: what is registered
#                          there ends with the command, and nobody else sees it

emulating() {
  local go pid status=0
  require qemu-user-static arch-test
  if arch-test arm64 >/dev/null 2>&1; then
    "$@"
    return
  fi
  go=$(mktemp -d)
  mkfifo "$go/mapped"
  # Linux 6.7 and later: a user namespace has formats of programs of its own.
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
  # Every user of a Debian system is one there as well, and the same.
  echo 0 0 65536 > "/proc/$pid/uid_map"
  echo 0 0 65536 > "/proc/$pid/gid_map"
  echo > "$go/mapped"
  wait "$pid" || status=$?
  rm -rf "$go"
  return "$status"
}
