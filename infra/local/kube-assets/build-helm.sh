#!/usr/bin/env bash
# Finds or builds helm, in a folder of its own.
#   build-helm.sh [cache-root]     progress on stderr, the folder on stdout
# HELM_ASSETS, if set, is that folder, whatever the version in it. Else helm is built from its Go module, as
# helm-module/go.mod and go.sum pin it, into cache-root (default: $XDG_CACHE_HOME/kube-assets or ~/.cache/kube-assets); a
# finished folder is used again. Another version: in helm-module, `go get -tool helm.sh/helm/v4/cmd/helm@VERSION && go mod
# tidy`.
# shellcheck source=infra/local/kube-assets/frame.sh
source "$(dirname "${BASH_SOURCE[0]}")/frame.sh"
HELM=helm.sh/helm/v4

missing() { [[ -x $1/helm ]] || echo 'executable helm'; }
VERSION=$(version_in "$HERE/helm-module/go.mod" "$HELM")
good() { [[ -x $1/helm && $("$1/helm" version --template '{{.Version}}' 2>/dev/null) == "$VERSION" ]]; }
use_given HELM_ASSETS
use_cache "helm-$VERSION"

begin_build 'set HELM_ASSETS to a folder with helm'
cp "$HERE"/helm-module/go.{mod,sum} .
build $HELM/cmd/helm helm "-X $HELM/internal/version.version=$VERSION"
finish_build
