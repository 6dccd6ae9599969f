#!/usr/bin/env bash
# Finds or builds informer (informer/main.go: informers of client-go, and what they hold), in a folder of its own.
#   build-informer.sh [cache-root]     progress on stderr, the folder on stdout
# INFORMER_ASSETS, if set, is that folder, whatever the version in it. Else it is built from informer/main.go and the Go
# modules that informer-module/go.mod and go.sum pin, into cache-root (default: $XDG_CACHE_HOME/kube-assets or
# ~/.cache/kube-assets); a finished folder is used again, until one of our files changes. Another version: beside main.go
# and go.mod, `go get k8s.io/client-go@VERSION k8s.io/apimachinery@VERSION && go mod tidy`.
# shellcheck source=infra/local/kube-assets/frame.sh
source "$(dirname "${BASH_SOURCE[0]}")/frame.sh"
SOURCES=("$HERE"/informer-module/go.{mod,sum} "$HERE/informer/main.go")

missing() { [[ -x $1/informer ]] || echo 'executable informer'; }
VERSION=$(version_in "${SOURCES[0]}" k8s.io/client-go)
good() { [[ -x $1/informer && $("$1/informer" --version 2>/dev/null) == "$VERSION" ]]; }
use_given INFORMER_ASSETS
use_cache "informer-$VERSION-$(digest "${SOURCES[@]}")"

begin_build 'set INFORMER_ASSETS to a folder with informer'
cp "${SOURCES[@]}" .
build . informer
finish_build
