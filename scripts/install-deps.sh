#!/bin/bash
# Installs what is missing: Debian packages (root), a Node that is new enough, the npm packages of package-lock.json.
# Starts no service: the lab runs its own Open vSwitch and nginx, and the system's are not its business.
# --npm-only leaves Debian's packages alone.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.node/node_modules/node/bin:$PATH"

DEBIAN_PACKAGES=(
  openvswitch-switch openvswitch-pki iproute2 ethtool procps util-linux
  curl nginx-light tcpdump tshark python3-os-ken iputils-ping iputils-arping jq openssl ca-certificates
)

main() {
  [ "${1:-}" = --npm-only ] || install_debian "${DEBIAN_PACKAGES[@]}"
  node_is_new_enough || install_node
  node scripts/node-modules-fresh.mjs ||
    node "$(readlink -f "$(command -v npm)")" ci --no-audit --no-fund # Debian's npm would run on Debian's node
}

# Installs those of the named packages that are missing.
install_debian() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q ' installed$' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    echo "missing Debian packages, and only root can install them: ${missing[*]}" >&2
    exit 1
  fi
  echo "installing ${missing[*]}"
  forbid_services
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
}

# Debian's way to say that a package's installation shall start nothing; taken back when this script ends.
forbid_services() {
  [ -e /usr/sbin/policy-rc.d ] && return 0
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
}

node_is_new_enough() {
  command -v node >/dev/null && command -v npm >/dev/null &&
    node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
}

# Debian 12 has Node 18. Its npm fetches a newer Node, into .node/ of this directory only.
install_node() {
  command -v npm >/dev/null || install_debian nodejs npm
  echo "installing Node 20 in .node/"
  mkdir -p .node
  [ -e .node/package.json ] || echo '{ "private": true }' >.node/package.json
  (cd .node && npm install --no-audit --no-fund --save-exact node@20.20.2)
  hash -r # bash remembers where the old one was
  node_is_new_enough || { echo "Node 20.19 or newer is needed, this is $(node --version)" >&2; exit 1; }
}

main "$@"
