#!/usr/bin/env bash
# Builds an image where no image can be pulled: infra/Dockerfile on a base that is made from this machine's programs and
# the project's Node. Then looks whether it runs as it must in Kubernetes.
#
#   infra/local/image.sh event-forwarder|starfold [NAME]      default name: starfold/<image>:<version>
#
# Needs Docker, npm, and the registry of npm. BASE names an image with Node and npm to use instead. Progress on stderr,
# the name of the image on stdout. No container is left.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly LARGEST_MB=150
readonly TARGET=${1:-}
die() { echo "image.sh: $*" >&2; exit 1; }
say() { printf 'image.sh [%3ss] %s\n' "$SECONDS" "$*" >&2; }
[[ $TARGET == event-forwarder || $TARGET == starfold ]] || die 'which image: event-forwarder or starfold?'
docker info >/dev/null 2>&1 || die 'no Docker engine answers: start one (dockerd)'
[[ -x node_modules/node/bin/node ]] || die 'the project has no Node yet: run npm ci'
NODE=$(realpath node_modules/node/bin/node)
VERSION=$("$NODE" -p 'require("./package.json").version')
readonly IMAGE=${2:-starfold/$TARGET:$VERSION}
ROOT=$(mktemp -d)
trap 'rm -rf "$ROOT"' EXIT
chmod 755 "$ROOT"

# Node, npm and a shell, with every library that they are linked with.
local_base() { # name
  local npm library
  npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
  env -i "$NODE" "$npm/bin/npm-cli.js" --version >/dev/null 2>&1 ||
    die "npm in $npm does not run by itself: name an image with Node and npm in BASE"
  mkdir -p "$ROOT"/usr/{bin,lib,lib64,local/bin,local/lib} "$ROOT"/{etc/ssl,proc,sys,dev,root,tmp}
  chmod 1777 "$ROOT/tmp"
  for folder in bin lib lib64; do ln -s "usr/$folder" "$ROOT/$folder"; done
  install -m 755 "$NODE" "$ROOT/usr/local/bin/node"
  cp -L /bin/sh "$ROOT/usr/bin/sh"
  cp -L /usr/bin/env "$ROOT/usr/bin/env"
  cp -rL "$npm" "$ROOT/usr/local/lib/npm"
  ln -s ../lib/npm/bin/npm-cli.js "$ROOT/usr/local/bin/npm"
  printf '%s\n' "$NODE" /bin/sh /usr/bin/env | xargs -n1 ldd | grep -oE '/[^ )]+' | sort -u |
    while read -r library; do
      mkdir -p "$ROOT$(realpath -m "$(dirname "$library")")"
      cp -L "$library" "$ROOT$(realpath -m "$(dirname "$library")")/"
    done
  [[ -d /etc/ssl/certs ]] && cp -rL /etc/ssl/certs "$ROOT/etc/ssl/"
  echo 'root:x:0:0::/root:/bin/sh' >"$ROOT/etc/passwd"
  echo 'hosts: files dns' >"$ROOT/etc/nsswitch.conf"
  # The registry and the authorities that npm knows on this machine.
  tar -C "$ROOT" --numeric-owner -c . | docker import \
    -c 'ENV PATH=/usr/local/bin:/usr/bin NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' \
    -c "ENV npm_config_registry=$(npm config get registry)" - "$1" >/dev/null
}

# As in the pod: another user than root, nothing can be written, no capability.
run() { docker run --rm --network none --read-only --cap-drop ALL --security-opt no-new-privileges --user 65532 "$@"; }

check_event_forwarder() {
  [[ $(run "$IMAGE" --help) == *--config* ]] || die '--help does not say what the forwarder takes'
}

# The demo needs no network but its own, and writes nowhere but into the volume.
check_starfold() {
  local output file
  [[ $(run "$IMAGE" --help) == *'Usage: starfold'* ]] || die '--help does not say what the command takes'
  output=$(run --tmpfs /state:uid=65532,gid=65532 "$IMAGE" start --exit --speed 20) ||
    die "the demo has failed: $output"
  [[ $output == *'wds1 has the expected content'* ]] || die "the demo did not end as it should: $output"
  for file in THIRD-PARTY-NOTICES sbom.cdx.json LICENSE; do
    run --entrypoint /usr/local/bin/node "$IMAGE" -e "fs.accessSync('/opt/starfold/$file')" || die "$file is absent"
  done
}

check() {
  local user node_version megabytes
  user=$(docker image inspect -f '{{.Config.User}}' "$IMAGE")
  [[ $user == 65532:65532 ]] || die "the image runs as '$user'"
  [[ $(run "$IMAGE" --version) == "$VERSION" ]] || die "the program is not that of version $VERSION"
  node_version=$(run --entrypoint /usr/local/bin/node "$IMAGE" --version)
  [[ $node_version == "$("$NODE" --version)" ]] || die "the image has Node $node_version"
  [[ $(run --entrypoint /usr/local/bin/node "$IMAGE" -p 'process.getuid()') == 65532 ]] || die 'it runs as another user'
  run --entrypoint /bin/sh "$IMAGE" -c true 2>/dev/null && die 'there is a shell in the image'
  megabytes=$(($(docker image inspect -f '{{.Size}}' "$IMAGE") / 1000000))
  ((megabytes <= LARGEST_MB)) || die "the image has $megabytes MB, more than $LARGEST_MB"
  "check_${TARGET/-/_}"
  say "$IMAGE: $megabytes MB, Node $node_version, user $user"
}

if [[ -z ${BASE:-} ]]; then
  BASE=local/image-base:1
  say "making $BASE"
  local_base "$BASE"
fi
# Its files are what is packed.
[[ $TARGET != starfold ]] || npm run release -- --uncommitted >&2
say "building $IMAGE on $BASE"
docker build --network host -f infra/Dockerfile --target "$TARGET" -t "$IMAGE" --build-arg "BASE=$BASE" --build-arg "VERSION=$VERSION" \
  --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)" . >&2
check
echo "$IMAGE"
