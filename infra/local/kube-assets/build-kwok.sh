#!/usr/bin/env bash
# Finds or builds kwok, which stands for the kubelets of simulated nodes, in one folder with its stages for fast nodes
# and pods (stages/*.yaml, as they come with its module).
#   build-kwok.sh [cache-root]     progress on stderr, the folder on stdout
# KWOK_ASSETS, if set, is that folder, whatever the version in it. Else it is built from its Go module, by the versions
# of kwok-module/go.mod, into cache-root (default: $XDG_CACHE_HOME/kube-assets or ~/.cache/kube-assets); a finished
# folder is used again.
set -euo pipefail
ROOT=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/kube-assets}
MODULE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/kwok-module
STAGES=(node/fast/node-initialize pod/fast/pod-{ready,complete,delete})

say() { printf 'build-kwok [%4ss] %s\n' "$SECONDS" "$*" >&2; }
die() { printf 'build-kwok: FAILED: %s\n' "$*" >&2; exit 1; }
trap 'die "line $LINENO: $BASH_COMMAND (exit $?)"' ERR

missing() { # folder: what is not in it
  local stage; [[ -x $1/kwok ]] || echo "executable kwok"
  for stage in "${STAGES[@]}"; do [[ -f $1/stages/${stage##*/}.yaml ]] || echo "stages/${stage##*/}.yaml"; done
}
if [[ -n ${KWOK_ASSETS:-} ]]; then
  WITHOUT=$(missing "$KWOK_ASSETS" | head -1)
  [[ -z $WITHOUT ]] || die "KWOK_ASSETS is $KWOK_ASSETS, and there is no $WITHOUT in it"
  (cd "$KWOK_ASSETS" && pwd); exit 0
fi

VERSION=$(sed -n 's#^.*sigs\.k8s\.io/kwok \(v[^ ]*\).*$#\1#p' "$MODULE/go.mod")
[[ -n $VERSION ]] || die "$MODULE/go.mod does not name a version of sigs.k8s.io/kwok"
OS=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in x86_64) ARCH=amd64 ;; aarch64|arm64) ARCH=arm64 ;; *) ARCH=$(uname -m) ;; esac
KEY=kwok-$VERSION-$OS-$ARCH
mkdir -p "$ROOT"; ROOT=$(cd "$ROOT" && pwd); DEST=$ROOT/$KEY
good() { # everything present, and kwok of the wanted version
  [[ -z $(missing "$1") ]] && "$1/kwok" --version 2>/dev/null | grep -F " $VERSION " >/dev/null
}
# Without a lock: a finished folder appears in one rename, so it may be used while another build runs.
if good "$DEST"; then say "cached: $DEST"; echo "$DEST"; exit 0; fi

command -v go >/dev/null || die "no 'go' on PATH. Install Go, or set KWOK_ASSETS to a folder with kwok and its stages"
export CGO_ENABLED=0 GOFLAGS="" GOWORK=off GOOS=$OS GOARCH=$ARCH
[[ $(go env GOVERSION) =~ ^go1\.([0-9]+) && ${BASH_REMATCH[1]} -ge 21 ]] || die "$(go version): Go 1.21 or newer is needed (it fetches the toolchain that go.mod names)"
if command -v flock >/dev/null; then
  exec 9>"$ROOT/.lock"; flock -w 3600 9 || die "another build holds $ROOT/.lock"
  if good "$DEST"; then say "cached: $DEST"; echo "$DEST"; exit 0; fi
fi

# The lock and the names of such folders are shared with build-kube.sh, which removes what killed builds have left.
WORK=$(mktemp -d "$ROOT/.build.XXXXXX"); trap 'rm -rf "$WORK"' EXIT; cd "$WORK"
say "$(go version); target $KEY"
cp "$MODULE/go.mod" "$MODULE/go.sum" .
mkdir -p bin/stages
say 'building kwok'
go build -mod=readonly -trimpath -ldflags "-s -w -X sigs.k8s.io/kwok/pkg/consts.Version=$VERSION" -o bin/kwok \
  sigs.k8s.io/kwok/cmd/kwok 2>build.log || { tail -20 build.log >&2; die 'go build'; }
SOURCE=$(go list -mod=readonly -m -f '{{.Dir}}' sigs.k8s.io/kwok)
for stage in "${STAGES[@]}"; do install -m 0644 "$SOURCE/kustomize/stage/$stage.yaml" bin/stages/; done
good bin || die 'something is missing, or kwok reports another version'
rm -rf "$DEST"; mv bin "$DEST"
say "done: $(du -sh "$DEST" | cut -f1) in $DEST"; echo "$DEST"
