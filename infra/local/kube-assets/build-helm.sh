#!/usr/bin/env bash
# Finds or builds helm, in a folder of its own.
#   build-helm.sh [cache-root]     progress on stderr, the folder on stdout
# HELM_ASSETS, if set, is that folder, whatever the version in it. Else helm is built from its Go module, as
# helm-module/go.mod and go.sum pin it, into cache-root (default: $XDG_CACHE_HOME/kube-assets or ~/.cache/kube-assets); a
# finished folder is used again. Another version: in helm-module, `go get -tool helm.sh/helm/v4/cmd/helm@VERSION && go mod
# tidy`, then HELM_VERSION here.
set -euo pipefail
HELM_VERSION=v4.3.1
ROOT=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/kube-assets}
MODULE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/helm-module

say() { printf 'build-helm [%4ss] %s\n' "$SECONDS" "$*" >&2; }
die() { printf 'build-helm: FAILED: %s\n' "$*" >&2; exit 1; }
trap 'die "line $LINENO: $BASH_COMMAND (exit $?)"' ERR

if [[ -n ${HELM_ASSETS:-} ]]; then
  [[ -x $HELM_ASSETS/helm ]] || die "HELM_ASSETS is $HELM_ASSETS, and there is no executable helm in it"
  (cd "$HELM_ASSETS" && pwd); exit 0
fi

OS=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in x86_64) ARCH=amd64 ;; aarch64|arm64) ARCH=arm64 ;; *) ARCH=$(uname -m) ;; esac
mkdir -p "$ROOT"; ROOT=$(cd "$ROOT" && pwd); DEST=$ROOT/helm-$HELM_VERSION-$OS-$ARCH
good() { # present and of the wanted version
  [[ -x $1/helm && $("$1/helm" version --template '{{.Version}}' 2>/dev/null) == "$HELM_VERSION" ]]
}
# Without a lock: a finished folder appears in one rename, so it may be used while another build runs.
if good "$DEST"; then say "cached: $DEST"; echo "$DEST"; exit 0; fi

command -v go >/dev/null || die "no 'go' on PATH. Install Go, or set HELM_ASSETS to a folder with helm"
export CGO_ENABLED=0 GOFLAGS='' GOWORK=off GOOS=$OS GOARCH=$ARCH
[[ $(go env GOVERSION) =~ ^go1\.([0-9]+) && ${BASH_REMATCH[1]} -ge 21 ]] || die "$(go version): Go 1.21 or newer is needed (it fetches the toolchain that go.mod names)"
if command -v flock >/dev/null; then
  exec 9>"$ROOT/.lock-helm"; flock -w 3600 9 || die "another build holds $ROOT/.lock-helm"
  if good "$DEST"; then say "cached: $DEST"; echo "$DEST"; exit 0; fi
  rm -rf "$ROOT"/.build-helm.*              # of builds that were killed: the lock is ours, so none is running
fi

WORK=$(mktemp -d "$ROOT/.build-helm.XXXXXX"); trap 'rm -rf "$WORK"' EXIT; cd "$WORK"
cp "$MODULE/go.mod" "$MODULE/go.sum" .
grep -qF "helm.sh/helm/v4 $HELM_VERSION" go.mod || die "$MODULE/go.mod is not for helm $HELM_VERSION"
say "$(go version); building helm $HELM_VERSION"
# Module downloads print hundreds of lines: shown only when the build fails.
go build -mod=readonly -trimpath -ldflags "-s -w -X helm.sh/helm/v4/internal/version.version=$HELM_VERSION" \
  -o bin/helm helm.sh/helm/v4/cmd/helm 2>build.log || { tail -20 build.log >&2; die "go build helm.sh/helm/v4/cmd/helm"; }
good bin || die "helm reports another version: $(bin/helm version --template '{{.Version}}')"
rm -rf "$DEST"; mv bin "$DEST"
say "done: $(du -sh "$DEST" | cut -f1) in $DEST"; echo "$DEST"
