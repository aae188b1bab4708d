# shellcheck shell=bash
# Sourced by release and test-release: a folder that apt installs from, put on a web server as it is.
#
#   repository_key KEY      takes the key that signs: a file with a secret key, or a key's id
#   repository_fill FOLDER  puts lists and signatures beside the packages in FOLDER/pool
#
# The lists are made from the packages alone and dated by SOURCE_DATE_EPOCH, so that whoever makes them
# again gets the same; the signatures are the one thing that differs.

repository_suite=stable
repository_fail() { echo "repository: $*" >&2; exit 1; }

# A key from a file lives in a keyring that ends with the script, whose trap calls repository_forget.
repository_key() {
  local key=$1
  repository_keyring=''
  # A pipe too: CI hands the key in without writing it to a disk.
  if [ -e "$key" ]; then
    repository_keyring=$(mktemp -d)
    export GNUPGHOME=$repository_keyring
    gpg --batch --quiet --import "$key" ||
      repository_fail "$key holds no key; gpg --export-secret-keys writes one"
    key=$(gpg --batch --with-colons --list-secret-keys | awk -F: '$1 == "fpr" { print $10; exit }')
    [ -n "$key" ] ||
      repository_fail "$1 holds no secret key; gpg --export-secret-keys writes one"
  fi
  repository_signer=$key
  # Now, and not after an hour of building.
  repository_gpg --clearsign < /dev/null > /dev/null ||
    repository_fail "cannot sign with '$1': hand in a file with a secret key, or an id that" \
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
  # Outside first: what is being written must not list itself.
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
