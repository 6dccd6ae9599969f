#!/usr/bin/env bash
# Finds or builds informer (informer/main.go: informers of client-go, and what they hold), in a folder of its own.
#   build-informer.sh [cache-root]     progress on stderr, the folder on stdout
# INFORMER_ASSETS, if set, is that folder, whatever the version in it. Else it is built from informer/main.go and the Go
# modules that informer-module/go.mod and go.sum pin, into cache-root (default: $XDG_CACHE_HOME/kube-assets or
# ~/.cache/kube-assets); a finished folder is used again, until one of our files changes. Another version: beside main.go
# and go.mod, `go get k8s.io/client-go@VERSION k8s.io/apimachinery@VERSION && go mod tidy`.
set -euo pipefail
ROOT=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/kube-assets}
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SOURCES=("$HERE"/informer-module/go.{mod,sum} "$HERE/informer/main.go")
CLIENT=k8s.io/client-go

say() { printf 'build-informer [%4ss] %s\n' "$SECONDS" "$*" >&2; }
die() { printf 'build-informer: FAILED: %s\n' "$*" >&2; exit 1; }
trap 'die "line $LINENO: $BASH_COMMAND (exit $?)"' ERR

if [[ -n ${INFORMER_ASSETS:-} ]]; then
  [[ -x $INFORMER_ASSETS/informer ]] || die "INFORMER_ASSETS is $INFORMER_ASSETS, and there is no executable informer in it"
  (cd "$INFORMER_ASSETS" && pwd); exit 0
fi

VERSION=$(sed -n "s#^[[:space:]]*$CLIENT \(v[^ ]*\)\$#\1#p" "${SOURCES[0]}")
[[ -n $VERSION ]] || die "${SOURCES[0]} does not name a version of $CLIENT"
OS=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in x86_64) ARCH=amd64 ;; aarch64|arm64) ARCH=arm64 ;; *) ARCH=$(uname -m) ;; esac
KEY=informer-$VERSION-$(cat "${SOURCES[@]}" | git hash-object --stdin | cut -c1-8)-$OS-$ARCH
mkdir -p "$ROOT"; ROOT=$(cd "$ROOT" && pwd); DEST=$ROOT/$KEY
good() { # present and of the wanted version
  [[ -x $1/informer && $("$1/informer" --version 2>/dev/null) == "$VERSION" ]]
}
# Without a lock: a finished folder appears in one rename, so it may be used while another build runs.
if good "$DEST"; then say "cached: $DEST"; echo "$DEST"; exit 0; fi

command -v go >/dev/null || die "no 'go' on PATH. Install Go, or set INFORMER_ASSETS to a folder with informer"
# Go fetches the toolchain that go.mod names, where it is itself an older one.
export CGO_ENABLED=0 GOFLAGS='' GOWORK=off GOTOOLCHAIN=auto GOOS=$OS GOARCH=$ARCH
[[ $(go env GOVERSION) =~ ^go1\.([0-9]+) && ${BASH_REMATCH[1]} -ge 21 ]] || die "$(go version): Go 1.21 or newer is needed (it fetches the toolchain that go.mod names)"
if command -v flock >/dev/null; then
  exec 9>"$ROOT/.lock-informer"; flock -w 3600 9 || die "another build holds $ROOT/.lock-informer"
  if good "$DEST"; then say "cached: $DEST"; echo "$DEST"; exit 0; fi
  rm -rf "$ROOT"/.build-informer.*          # of builds that were killed: the lock is ours, so none is running
fi

WORK=$(mktemp -d "$ROOT/.build-informer.XXXXXX"); trap 'rm -rf "$WORK"' EXIT; cd "$WORK"
cp "${SOURCES[@]}" .
say "$(go version); target $KEY"
# Module downloads print hundreds of lines: shown only when a build fails.
go build -mod=readonly -trimpath -ldflags '-s -w' -o out/informer . 2>build.log || { tail -20 build.log >&2; die "go build"; }
good out || die 'the program is missing or reports another version'
rm -rf "$DEST"; mv out "$DEST"
say "done: $(du -sh "$DEST" | cut -f1) in $DEST"; echo "$DEST"
