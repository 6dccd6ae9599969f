#!/usr/bin/env bash
# Finds or builds kwok, which stands for the kubelets of simulated nodes, in one folder with its stages for fast nodes
# and pods (stages/*.yaml, as they come with its module).
#   build-kwok.sh [cache-root]     progress on stderr, the folder on stdout
# KWOK_ASSETS, if set, is that folder, whatever the version in it. Else it is built from its Go module, by the versions
# of kwok-module/go.mod, into cache-root (default: $XDG_CACHE_HOME/kube-assets or ~/.cache/kube-assets); a finished
# folder is used again.
# shellcheck source=infra/local/kube-assets/frame.sh
source "$(dirname "${BASH_SOURCE[0]}")/frame.sh"
KWOK=sigs.k8s.io/kwok
STAGES=(node/fast/node-initialize pod/fast/pod-{ready,complete,delete})

missing() {
  local stage; [[ -x $1/kwok ]] || echo 'executable kwok'
  for stage in "${STAGES[@]}"; do [[ -f $1/stages/${stage##*/}.yaml ]] || echo "stages/${stage##*/}.yaml"; done
}
VERSION=$(version_in "$HERE/kwok-module/go.mod" "$KWOK")
good() { [[ -z $(missing "$1") ]] && "$1/kwok" --version 2>/dev/null | grep -F " $VERSION " >/dev/null; }
use_given KWOK_ASSETS
use_cache "kwok-$VERSION"

begin_build 'set KWOK_ASSETS to a folder with kwok and its stages'
cp "$HERE"/kwok-module/go.{mod,sum} .
build $KWOK/cmd/kwok kwok "-X $KWOK/pkg/consts.Version=$VERSION"
SOURCE=$(go list -mod=readonly -m -f '{{.Dir}}' $KWOK)
mkdir out/stages
for stage in "${STAGES[@]}"; do install -m 0644 "$SOURCE/kustomize/stage/$stage.yaml" out/stages/; done
finish_build
