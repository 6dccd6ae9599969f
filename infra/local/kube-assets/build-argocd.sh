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
# shellcheck source=infra/local/kube-assets/frame.sh
source "$(dirname "${BASH_SOURCE[0]}")/frame.sh"
SOURCES=("$HERE"/argocd-module/go.{mod,sum} "$HERE/argocd-judge/main.go")
ARGOCD=github.com/argoproj/argo-cd/v3
PARTS=(manifests/crds/{application,applicationset,appproject}-crd.yaml manifests/base/config/kustomization.yaml)

missing() {
  local name
  for name in argocd argocd-judge bin/git-verify-wrapper.sh; do [[ -x $1/$name ]] || echo "executable $name"; done
  for name in "${PARTS[@]}"; do [[ -f $1/$name ]] || echo "$name"; done
}
VERSION=$(version_in "${SOURCES[0]}" "$ARGOCD")
good() {
  [[ -z $(missing "$1") && $("$1/argocd-judge" --version) == "$VERSION" ]] &&
    "$1/argocd" version --client --short 2>/dev/null | grep -F "$VERSION" >/dev/null
}
use_given ARGOCD_ASSETS
use_cache "argocd-$VERSION-$(digest "${SOURCES[@]}")"

begin_build "set ARGOCD_ASSETS to a folder with Argo CD (the script's head says what is in it)"
cp "${SOURCES[@]}" .
build . argocd-judge
build "$ARGOCD/cmd" argocd "-X $ARGOCD/common.version=${VERSION#v}"
SOURCE=$(go list -mod=readonly -m -f '{{.Dir}}' "$ARGOCD")
mkdir -p out/bin out/manifests/{crds,base/config}
install -m 0755 "$SOURCE/hack/git-verify-wrapper.sh" out/bin/    # in the module nothing is executable
install -m 0644 "$SOURCE"/manifests/crds/*-crd.yaml out/manifests/crds/
install -m 0644 "$SOURCE"/manifests/base/config/*.yaml out/manifests/base/config/
finish_build
