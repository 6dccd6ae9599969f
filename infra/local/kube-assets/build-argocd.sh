#!/usr/bin/env bash
# Finds or builds Argo CD in one folder: argocd (one program for all its components: ARGOCD_BINARY_NAME says which),
# argocd-judge (argocd-judge/main.go: what Argo CD says of objects), and of its module the manifests that an installation
# begins with (manifests/crds, manifests/base/config) and the script that its repo-server runs (bin/git-verify-wrapper.sh).
#   build-argocd.sh [cache-root]     progress on stderr, the folder on stdout
# ARGOCD_ASSETS, if set, is that folder, whatever the version in it. Else everything is built from Argo CD's Go module, as
# argocd-module/go.mod and go.sum pin it, into cache-root (default: $XDG_CACHE_HOME/kube-assets or ~/.cache/kube-assets); a
# finished folder is used again, until one of our files changes. Another version: argocd-module/go.mod is the go.mod of
# github.com/argoproj/argo-cd/v3 with `module argocdassets`, without the replacement of gitops-engine by a folder (Go
# follows only the main module's replacements), with `require` of the module and `tool` of its package cmd; beside
# main.go, `go mod tidy`.
set -euo pipefail
ROOT=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/kube-assets}
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SOURCES=("$HERE"/argocd-module/go.{mod,sum} "$HERE/argocd-judge/main.go")
ARGOCD=github.com/argoproj/argo-cd/v3
PARTS=(manifests/crds/{application,applicationset,appproject}-crd.yaml manifests/base/config/kustomization.yaml)

say() { printf 'build-argocd [%4ss] %s\n' "$SECONDS" "$*" >&2; }
die() { printf 'build-argocd: FAILED: %s\n' "$*" >&2; exit 1; }
trap 'die "line $LINENO: $BASH_COMMAND (exit $?)"' ERR

missing() { # folder: what is not in it
  local name
  for name in argocd argocd-judge bin/git-verify-wrapper.sh; do [[ -x $1/$name ]] || echo "executable $name"; done
  for name in "${PARTS[@]}"; do [[ -f $1/$name ]] || echo "$name"; done
}
if [[ -n ${ARGOCD_ASSETS:-} ]]; then
  WITHOUT=$(missing "$ARGOCD_ASSETS" | head -1)
  [[ -z $WITHOUT ]] || die "ARGOCD_ASSETS is $ARGOCD_ASSETS, and there is no $WITHOUT in it"
  (cd "$ARGOCD_ASSETS" && pwd); exit 0
fi

VERSION=$(sed -n "s#^[[:space:]]*$ARGOCD \(v[^ ]*\).*\$#\1#p" "${SOURCES[0]}")
[[ -n $VERSION ]] || die "${SOURCES[0]} does not name a version of $ARGOCD"
OS=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in x86_64) ARCH=amd64 ;; aarch64|arm64) ARCH=arm64 ;; *) ARCH=$(uname -m) ;; esac
KEY=argocd-$VERSION-$(cat "${SOURCES[@]}" | git hash-object --stdin | cut -c1-8)-$OS-$ARCH
mkdir -p "$ROOT"; ROOT=$(cd "$ROOT" && pwd); DEST=$ROOT/$KEY
good() { # everything present, and of the wanted version
  [[ -z $(missing "$1") && $("$1/argocd-judge" --version) == "$VERSION" ]] &&
    "$1/argocd" version --client --short 2>/dev/null | grep -F "$VERSION" >/dev/null
}
# Without a lock: a finished folder appears in one rename, so it may be used while another build runs.
if good "$DEST"; then say "cached: $DEST"; echo "$DEST"; exit 0; fi

command -v go >/dev/null || die "no 'go' on PATH. Install Go, or set ARGOCD_ASSETS to a folder with Argo CD (the script's head says what is in it)"
# Go fetches the toolchain that go.mod names, where it is itself an older one.
export CGO_ENABLED=0 GOFLAGS='' GOWORK=off GOTOOLCHAIN=auto GOOS=$OS GOARCH=$ARCH
[[ $(go env GOVERSION) =~ ^go1\.([0-9]+) && ${BASH_REMATCH[1]} -ge 21 ]] || die "$(go version): Go 1.21 or newer is needed (it fetches the toolchain that go.mod names)"
if command -v flock >/dev/null; then
  exec 9>"$ROOT/.lock-argocd"; flock -w 3600 9 || die "another build holds $ROOT/.lock-argocd"
  if good "$DEST"; then say "cached: $DEST"; echo "$DEST"; exit 0; fi
  rm -rf "$ROOT"/.build-argocd.*            # of builds that were killed: the lock is ours, so none is running
fi

WORK=$(mktemp -d "$ROOT/.build-argocd.XXXXXX"); trap 'rm -rf "$WORK"' EXIT; cd "$WORK"
cp "${SOURCES[@]}" .
say "$(go version); target $KEY"
# Module downloads print hundreds of lines: shown only when a build fails.
build() { # package, output
  say "building $2"
  go build -mod=readonly -trimpath -ldflags "-s -w -X $ARGOCD/common.version=${VERSION#v}" -o "out/$2" "$1" 2>build.log ||
    { tail -20 build.log >&2; die "go build $1"; }
}
build . argocd-judge
build "$ARGOCD/cmd" argocd
SOURCE=$(go list -mod=readonly -m -f '{{.Dir}}' "$ARGOCD")
mkdir -p out/bin out/manifests/{crds,base/config}
install -m 0755 "$SOURCE/hack/git-verify-wrapper.sh" out/bin/    # in the module nothing is executable
install -m 0644 "$SOURCE"/manifests/crds/*-crd.yaml out/manifests/crds/
install -m 0644 "$SOURCE"/manifests/base/config/*.yaml out/manifests/base/config/
good out || die 'something is missing, or a program reports another version'
rm -rf "$DEST"; mv out "$DEST"
say "done: $(du -sh "$DEST" | cut -f1) in $DEST"; echo "$DEST"
