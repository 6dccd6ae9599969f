#!/usr/bin/env bash
# Finds or builds kube-apiserver, kubectl and etcd in one folder; or the controllers of Kubernetes.
#   build-kube.sh [cache-root]     progress on stderr, the folder on stdout
#   KUBE_BINS="kube-controller-manager kube-scheduler" build-kube.sh [cache-root]
# KUBEBUILDER_ASSETS, if set, is that folder, whatever the versions in it. Else the binaries are built from Go modules
# into cache-root (default: $XDG_CACHE_HOME/kube-assets or ~/.cache/kube-assets); a finished folder is used again.
# setup-envtest brings no controllers: those that are not in KUBEBUILDER_ASSETS are built all the same. They have a
# folder of their own, so that nothing which needs API servers alone has to wait for them.
# Also: KUBE_VERSION, ETCD_VERSION, KUBE_BINS (etcd comes with kube-apiserver), and KUBE_SAVE_LOCK: where to leave
# go.mod and go.sum when versions are resolved anew (that is when KUBE_LOCK_DIR has none).
# shellcheck source=infra/local/kube-assets/frame.sh
source "$(dirname "${BASH_SOURCE[0]}")/frame.sh"
KUBE_VERSION=${KUBE_VERSION:-v1.36.3}
ETCD_VERSION=${ETCD_VERSION:-v3.6.8}        # what this Kubernetes names in build/dependencies.yaml
KUBE_BINS=${KUBE_BINS:-"kube-apiserver kubectl"}
LOCK=${KUBE_LOCK_DIR:-$HERE/kube-modules}
ETCD=; [[ " $KUBE_BINS " != *' kube-apiserver '* ]] || ETCD=etcd
[[ $KUBE_VERSION =~ ^v1\.([0-9]+)\.([0-9]+)$ ]] || die "KUBE_VERSION '$KUBE_VERSION' is not v1.MINOR.PATCH"
MINOR=${BASH_REMATCH[1]}; STAGING=v0.$MINOR.${BASH_REMATCH[2]}

missing() {
  local b
  for b in $KUBE_BINS $ETCD; do [[ -x $1/$b ]] || echo "executable $b"; done
}
good() {
  local b; for b in $KUBE_BINS; do
    [[ -x $1/$b ]] || return 1
    if [[ $b == kubectl ]]; then "$1/$b" version --client 2>/dev/null | grep -F "$KUBE_VERSION" >/dev/null || return 1
    else "$1/$b" --version 2>/dev/null | grep -F "$KUBE_VERSION" >/dev/null || return 1; fi
  done
  [[ -z $ETCD ]] || "$1/etcd" --version 2>/dev/null | grep -F "${ETCD_VERSION#v}" >/dev/null || return 1
}
INSTEAD="set KUBEBUILDER_ASSETS to a folder with ${KUBE_BINS// /, }${ETCD:+ and etcd (setup-envtest downloads one)}"
if [[ -n $ETCD || -z ${KUBEBUILDER_ASSETS:-} || -z $(missing "${KUBEBUILDER_ASSETS:-}") ]]; then use_given KUBEBUILDER_ASSETS
else
  WITHOUT=$(missing "$KUBEBUILDER_ASSETS" | paste -sd,)
  INSTEAD="put $KUBE_VERSION of what KUBEBUILDER_ASSETS is without (setup-envtest brings none) into $KUBEBUILDER_ASSETS: ${WITHOUT//,/, }"
  [[ ! -x $KUBEBUILDER_ASSETS/kube-apiserver || $("$KUBEBUILDER_ASSETS/kube-apiserver" --version) == *" $KUBE_VERSION" ]] ||
    say "WARNING: kube-apiserver there is not $KUBE_VERSION, of which the controllers will be; KUBE_VERSION chooses"
fi
use_cache "$KUBE_VERSION-${ETCD:+etcd$ETCD_VERSION-}$(tr ' ' '+' <<<"$KUBE_BINS")"

begin_build "$INSTEAD"
if [[ -f $LOCK/go.mod && -f $LOCK/go.sum ]]; then
  cp "$LOCK/go.mod" "$LOCK/go.sum" .
  grep -qF "k8s.io/kubernetes $KUBE_VERSION" go.mod || die "$LOCK/go.mod is not for $KUBE_VERSION"
  grep -qF "go.etcd.io/etcd/server/v3 $ETCD_VERSION" go.mod || die "$LOCK/go.mod is not for etcd $ETCD_VERSION"
  say "using the checked-in go.mod and go.sum"
else
  say "resolving modules of k8s.io/kubernetes $KUBE_VERSION (staging $STAGING)"
  printf 'module kubeassets\n\ngo 1.21\n' >go.mod
  go mod download -json "k8s.io/kubernetes@$KUBE_VERSION" >dl.json || { cat dl.json >&2; die "cannot fetch k8s.io/kubernetes $KUBE_VERSION (see \"Error\" above)"; }
  UP=$(sed -n 's/^[[:space:]]*"GoMod": "\(.*\)",$/\1/p' dl.json)
  [[ -s $UP ]] || die "no go.mod for k8s.io/kubernetes $KUBE_VERSION"
  { echo 'module kubeassets'; echo
    grep -E '^(go|godebug) ' "$UP"; echo
    echo "require k8s.io/kubernetes $KUBE_VERSION"
    echo "require go.etcd.io/etcd/server/v3 $ETCD_VERSION"; echo
    sed -n -E "s#^[[:space:]]+(k8s\.io/[a-z0-9-]+) => \./staging/src/.*#replace \1 => \1 $STAGING#p" "$UP"
  } >go.mod
  for b in kube-apiserver kube-controller-manager kube-scheduler kubectl; do go mod edit -tool="k8s.io/kubernetes/cmd/$b"; done
  go mod edit -tool=go.etcd.io/etcd/server/v3
  go mod tidy >tidy.log 2>&1 || { tail -20 tidy.log >&2; die "go mod tidy"; }
  if [[ -n ${KUBE_SAVE_LOCK:-} ]]; then mkdir -p "$KUBE_SAVE_LOCK"; cp go.mod go.sum "$KUBE_SAVE_LOCK/"; say "lock saved in $KUBE_SAVE_LOCK"; fi
fi
L=
for p in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  L+=" -X $p.gitVersion=$KUBE_VERSION -X $p.gitMajor=1 -X $p.gitMinor=$MINOR -X $p.gitTreeState=clean"
done
[[ -z $ETCD ]] || build go.etcd.io/etcd/server/v3 etcd
for b in $KUBE_BINS; do build "k8s.io/kubernetes/cmd/$b" "$b" "$L"; done
finish_build
