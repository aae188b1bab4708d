# shellcheck shell=bash
# Sourced by release and test-release: creates an apt repository for a web server.
#
#   repository_key KEY      selects the signing key: a file with a secret key, or a key's id
#   repository_fill FOLDER  writes lists and signatures for the packages in FOLDER/pool
#
# The lists depend only on the packages and on SOURCE_DATE_EPOCH, so that they are reproducible; only
# the signatures differ.

repository_suite=stable
repository_fail() { echo "repository: $*" >&2; exit 1; }

# A key from a file is imported into a temporary keyring; the script's trap calls repository_forget.
repository_key() {
  local key=$1
  repository_keyring=''
  # Also a pipe: CI passes the key without writing it to a disk.
  if [ -e "$key" ]; then
    repository_keyring=$(mktemp -d)
    export GNUPGHOME=$repository_keyring
    gpg --batch --quiet --import "$key" ||
      repository_fail "$key contains no key; gpg --export-secret-keys writes one"
    key=$(gpg --batch --with-colons --list-secret-keys | awk -F: '$1 == "fpr" { print $10; exit }')
    [ -n "$key" ] ||
      repository_fail "$1 contains no secret key; gpg --export-secret-keys writes one"
  fi
  repository_signer=$key
  # Tests the key before an hour of building.
  repository_gpg --clearsign < /dev/null > /dev/null ||
    repository_fail "cannot sign with '$1': use a file with a secret key, or an id that" \
      "gpg --list-secret-keys shows"
}

repository_forget() {
  [ -n "${repository_keyring:-}" ] || return 0
  gpgconf --kill gpg-agent 2>/dev/null || true
  rm -rf "$repository_keyring"
}

repository_gpg() {
  gpg --quiet --yes --local-user "$repository_signer" --digest-algo SHA512 --armor "$@"
}

repository_fill() (
  cd "$1" || exit
  local lists=dists/$repository_suite arch list
  rm -rf dists
  for arch in amd64 arm64; do
    list=$lists/main/binary-$arch/Packages
    mkdir -p "${list%/*}"
    apt-ftparchive --arch "$arch" packages pool > "$list"
    gzip --keep --no-name -9 "$list"
    xz --keep "$list"
  done
  # Written outside first, because the list must not include itself.
  apt-ftparchive -o APT::FTPArchive::Release::Origin=rowgate \
    -o APT::FTPArchive::Release::Label=rowgate \
    -o APT::FTPArchive::Release::Suite="$repository_suite" \
    -o APT::FTPArchive::Release::Codename="$repository_suite" \
    -o APT::FTPArchive::Release::Architectures='amd64 arm64' \
    -o APT::FTPArchive::Release::Components=main \
    -o APT::FTPArchive::Release::Date="$(LC_ALL=C date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")" \
    release "$lists" > Release.new
  mv Release.new "$lists/Release"
  repository_gpg --clearsign --output "$lists/InRelease" "$lists/Release"
  repository_gpg --detach-sign --output "$lists/Release.gpg" "$lists/Release"
  gpg --armor --export "$repository_signer" > rowgate.asc
  gpg --export "$repository_signer" > rowgate.gpg
  find pool rowgate.asc rowgate.gpg -type f | LC_ALL=C sort | xargs sha256sum > SHA256SUMS
)
