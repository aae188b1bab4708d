# Sourced by demo, test and others: makes sure that what they need is on this machine.
#
#   require PACKAGE...   installs the Debian packages that are missing; without root it names them
#   require_swift        the same for the compiler: any swift in PATH, or Debian's swiftlang
#   debian_mirror        where this machine's own apt gets packages, which is known to be reachable
#   say WORDS            tells what comes now, and how many seconds it took to come to it

build_packages=(
  pkg-config g++ git ca-certificates
  libsystemd-dev libmosquitto-dev libbluetooth-dev libssl-dev libtomlplusplus-dev
  libmicrohttpd-dev libsqlite3-dev libpq-dev tzdata
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
  # One after the other, for apt refuses whoever comes second; and two tests may run side by side.
  (
    flock 9
    # A host with a stale package list would fail on the first download, so refresh it first.
    apt-get update -qq >&2
    # Debian's mosquitto package would start a broker of its own; nothing here wants that.
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
    echo "There is no Swift here, and this Debian has none: install 6.0 or later from swift.org." >&2
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

# Debian keeps daemons out of a plain user's PATH.
PATH=$PATH:/usr/sbin:/sbin
