# shellcheck shell=bash
# Sourced by scripts that measure on a file system of their own, so that all bytes written to its block device are
# theirs. Needs root.

# mount_loop IMAGE FOLDER SIZE [OPTIONS]: makes an ext4 file system in the file IMAGE, and mounts it on FOLDER
mount_loop() {
  truncate -s "$3" "$1"
  # Nothing of the file system is to be made later, while bytes are counted.
  mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$1"
  mount -o "loop${4:+,$4}" "$1" "$2"
}
