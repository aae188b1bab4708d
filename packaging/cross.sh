# Sourced by build-deb and test-arm64: a Debian system in which an amd64 machine builds for arm64.
#
# Its compiler is Debian's compiler for amd64, so nothing is emulated. The system also has the arm64
# libraries and headers (multi-arch), and the arm64 compiler's modules and static runtime; together they
# are a Swift SDK. All builds use one system; delete the cache folder to create a new one.
#
#   cross_prepare              creates the system if it does not exist (once; minutes, 4 GB)
#   cross_enter FOLDER CMD...  runs CMD in it as root, with FOLDER as /mnt; shares nothing else
#   cross_try FOLDER CMD...    the same in a temporary copy, with network access
#   cross_emulate CMD...       runs an arm64 program with qemu-user and the system's libraries

cross_suite=trixie
cross_cache=${XDG_CACHE_HOME:-$HOME/.cache}/rowgate-cross
cross_root=$cross_cache/$cross_suite
cross_sdk=/opt/arm64-sdks
# Libraries that rowgate links with, and the compiler's C and C++ libraries. Only for arm64: libpq-dev
# cannot be installed for two architectures.
cross_libraries=(
  libc6-dev libgcc-14-dev libstdc++-14-dev
  libsystemd-dev libmosquitto-dev libbluetooth-dev libssl-dev libtomlplusplus-dev
  libmicrohttpd-dev libqrencode-dev libcurl4-openssl-dev libsqlite3-dev libpq-dev
  zlib1g-dev libzstd-dev
)

# Runs in mmdebstrap with the new system as $1: the target half of the arm64 compiler.
cross_hook='set -e
mkdir "$1/swift" && cd "$1/swift"
APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get download -qq swiftlang:arm64 libswiftlang:arm64
for package in *.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x ./usr/libexec/swift/lib
done
mkdir -p "$1/opt/swift-arm64"
cd usr/libexec/swift/lib && mv swift swift_static clang "$1/opt/swift-arm64/"
rm -rf "$1/swift"'

cross_prepare() {
  local include
  include=$(IFS=,
    echo "swiftlang,build-essential,debhelper,dh-apparmor,fakeroot,lintian,git,ca-certificates,pkgconf,python3"\
",binutils-aarch64-linux-gnu,$(printf '%s:arm64,' "${cross_libraries[@]}")")
  # A system with other libraries is created again.
  [ "$(cat "$cross_root/included" 2>/dev/null)" != "$include" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    echo "cross: creating the build system in $cross_root needs root: use sudo" >&2
    exit 77
  fi
  require mmdebstrap qemu-user-static debian-archive-keyring
  local mirror new=$cross_root.new
  mirror=$(debian_mirror)
  echo "creating the arm64 build system in $cross_root, once, for some minutes ..." >&2
  rm -rf --one-file-system "$new"
  mkdir -p "$cross_cache"
  # In a private namespace, so that mounts end with the command in any case.
  nice unshare --mount --propagation private mmdebstrap --quiet --variant=minbase --architectures=amd64,arm64 \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Check-Date "false"' \
    --aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --include="${include%,}" --customize-hook="$cross_hook" "$cross_suite" "$new" "$mirror"
  # The build runs its programs with it.
  install "$(command -v qemu-aarch64-static)" "$new/usr/bin/"
  cross_write_sdk "$new$cross_sdk/debian.artifactbundle"
  echo "$include" >"$new/included"
  rm -rf "$cross_root"
  mv "$new" "$cross_root"
}

# The SDK description for SwiftPM: the sysroot is the system itself.
cross_write_sdk() {
  mkdir -p "$1/arm64"
  cat > "$1/info.json" <<'JSON'
{ "schemaVersion": "1.0",
  "artifacts": { "arm64": { "type": "swiftSDK", "version": "1", "variants": [{ "path": "arm64" }] } } }
JSON
  cat > "$1/arm64/swift-sdk.json" <<'JSON'
{ "schemaVersion": "4.0",
  "targetTriples": { "aarch64-unknown-linux-gnu": {
    "sdkRootPath": "/", "toolsetPaths": ["toolset.json"],
    "swiftResourcesPath": "/opt/swift-arm64/swift",
    "swiftStaticResourcesPath": "/opt/swift-arm64/swift_static" } } }
JSON
  # Debian's default linker for the host cannot link for arm64; lld links for everything.
  cat > "$1/arm64/toolset.json" <<'JSON'
{ "schemaVersion": "1.0", "rootPath": "/usr/libexec/swift/bin",
  "swiftCompiler": { "extraCLIOptions": ["-use-ld=lld"] } }
JSON
}

# Local folders that git uses instead of network addresses; they are also mounted in the system.
cross_git_rules() { git config --get-regexp '^url\..*\.insteadof$' || true; }
cross_git_folders() { cross_git_rules | sed -n 's/^url\.\(\/[^ ]*\)\.insteadof .*/\1/p' | sort -u; }

# Mounts are in a private namespace, so that they end with the command in any case.
cross_enter() {
  local folder=$1 git=$cross_root/etc/gitconfig key value new
  # Another build may be entering.
  new=$git.$$
  shift
  git config --file "$new" safe.directory '*'
  while read -r key value; do
    git config --file "$new" --add "$key" "$value"
  done < <(cross_git_rules)
  mv "$new" "$git"
  ROOT=$cross_root FOLDER=$folder SHARED=$(cross_git_folders) SDK=$cross_sdk \
    unshare --mount --propagation private bash -euc '
      mount -t proc proc "$ROOT/proc"
      mount --rbind /dev "$ROOT/dev"
      mount --bind "$FOLDER" "$ROOT/mnt"
      for shared in $SHARED; do
        mkdir -p "$ROOT$shared"
        mount --rbind "$shared" "$ROOT$shared"
      done
      exec chroot "$ROOT" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        PKG_CONFIG_PATH=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig \
        DEB_BUILD_OPTIONS=crossbuildcanrunhostbinaries \
        SWIFT_SDK_FLAGS="--swift-sdks-path $SDK --swift-sdk arm64" "$@"' enter "$@"
}

cross_try() {
  local folder=$1 scratch status=0
  shift
  scratch=$(mktemp -d)
  mkdir "$scratch/upper" "$scratch/work" "$scratch/root"
  ROOT=$cross_root FOLDER=$folder SCRATCH=$scratch \
    unshare --mount --propagation private bash -euc '
      root=$SCRATCH/root
      mount -t overlay overlay "$root" \
        -o "lowerdir=$ROOT,upperdir=$SCRATCH/upper,workdir=$SCRATCH/work"
      mount -t proc proc "$root/proc"
      mount --rbind /dev "$root/dev"
      mount --bind "$FOLDER" "$root/mnt"
      cp /etc/resolv.conf "$root/etc/resolv.conf"
      exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' enter "$@" || status=$?
  rm -rf "$scratch"
  return "$status"
}

cross_emulate() { qemu-aarch64-static -L "$cross_root" "$@"; }
