# Sourced by demo, test and others: installs missing dependencies.
#
#   require PACKAGE...   installs missing Debian packages; without root it prints the command for it
#   require_swift        the same for the compiler: any swift in PATH, or Debian's swiftlang
#   debian_mirror        prints the mirror that apt uses on this machine
#   say TEXT             prints a progress message with the seconds since the start

build_packages=(
  pkg-config g++ git ca-certificates
  libsystemd-dev libmosquitto-dev libbluetooth-dev libssl-dev libtomlplusplus-dev
  libmicrohttpd-dev libqrencode-dev libcurl4-openssl-dev libsqlite3-dev libpq-dev
  zlib1g-dev libzstd-dev tzdata
)
room_packages=(mosquitto mosquitto-clients dbus)

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

apt_install() {
  echo "installing: $*" >&2
  if [ "$(id -u)" != 0 ]; then
    printf 'This needs root once. Run:\n\n    sudo apt-get install %s\n\nthen start again.\n' \
      "$*" >&2
    exit 1
  fi
  # apt cannot run twice at the same time, but two tests may.
  (
    flock 9
    # Downloads fail if the package list is stale.
    apt-get update -qq >&2
    # Prevents Debian's mosquitto package from starting a broker.
    DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
      apt-get install -y -qq --no-install-recommends "$@" >&2 9>&-
  ) 9> /run/lock/rowgate-test
}

require() {
  local missing=() package
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"
}

require_swift() {
  command -v swift >/dev/null && return
  if [ -n "$(apt-cache search --names-only '^swiftlang$' 2>/dev/null)" ]; then
    apt_install swiftlang
  else
    echo "Swift is not installed, and this Debian has no package: install 6.0 or later from swift.org." >&2
    exit 1
  fi
}

debian_mirror() {
  local release mirror
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # shellcheck disable=SC2016  # apt's placeholders
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' |
    awk -v release="$release" '$2 == release && $3 == "main" { print $1; exit }')
  if [ -z "$mirror" ]; then
    echo "No Debian mirror is configured in /etc/apt/sources.list.d." >&2
    exit 1
  fi
  echo "$mirror"
}

say() { printf '== %s (%d s)\n' "$*" "$SECONDS" >&2; }

# On Debian, daemons are not in the PATH of normal users.
PATH=$PATH:/usr/sbin:/sbin
