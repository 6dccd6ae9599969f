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
set -euo pipefail
KUBE_VERSION=${KUBE_VERSION:-v1.36.3}
ETCD_VERSION=${ETCD_VERSION:-v3.6.8}        # what this Kubernetes names in build/dependencies.yaml
KUBE_BINS=${KUBE_BINS:-"kube-apiserver kubectl"}
ROOT=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/kube-assets}
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LOCK=${KUBE_LOCK_DIR:-$HERE/kube-modules}

say() { printf 'build-kube [%4ss] %s\n' "$SECONDS" "$*" >&2; }
die() { printf 'build-kube: FAILED: %s\n' "$*" >&2; exit 1; }
trap 'die "line $LINENO: $BASH_COMMAND (exit $?)"' ERR

ETCD=; [[ " $KUBE_BINS " != *' kube-apiserver '* ]] || ETCD=etcd
GIVEN=                                      # what is said of KUBEBUILDER_ASSETS when a controller has to be built
if [[ -n ${KUBEBUILDER_ASSETS:-} ]]; then
  MISSING=()
  for b in $KUBE_BINS $ETCD; do [[ -x $KUBEBUILDER_ASSETS/$b ]] || MISSING+=("$b"); done
  if ((${#MISSING[@]} == 0)); then (cd "$KUBEBUILDER_ASSETS" && pwd); exit 0; fi
  WITHOUT=${MISSING[*]}
  GIVEN="KUBEBUILDER_ASSETS is $KUBEBUILDER_ASSETS, and there is no executable ${WITHOUT// /, } in it"
  [[ -z $ETCD ]] || die "$GIVEN"
  GIVEN+=' (setup-envtest brings none)'
  [[ ! -x $KUBEBUILDER_ASSETS/kube-apiserver || $("$KUBEBUILDER_ASSETS/kube-apiserver" --version) == *" $KUBE_VERSION" ]] ||
    say "WARNING: kube-apiserver there is not $KUBE_VERSION, of which the controllers will be; KUBE_VERSION chooses"
fi

[[ $KUBE_VERSION =~ ^v1\.([0-9]+)\.([0-9]+)$ ]] || die "KUBE_VERSION '$KUBE_VERSION' is not v1.MINOR.PATCH"
MINOR=${BASH_REMATCH[1]}; STAGING=v0.$MINOR.${BASH_REMATCH[2]}
OS=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in x86_64) ARCH=amd64 ;; aarch64|arm64) ARCH=arm64 ;; *) ARCH=$(uname -m) ;; esac
KEY=$KUBE_VERSION-${ETCD:+etcd$ETCD_VERSION-}$(tr ' ' '+' <<<"$KUBE_BINS")-$OS-$ARCH
mkdir -p "$ROOT"; ROOT=$(cd "$ROOT" && pwd); DEST=$ROOT/$KEY
good() { # every binary present and of the wanted version
  local b; for b in $KUBE_BINS; do
    [[ -x $1/$b ]] || return 1
    if [[ $b == kubectl ]]; then "$1/$b" version --client 2>/dev/null | grep -F "$KUBE_VERSION" >/dev/null || return 1
    else "$1/$b" --version 2>/dev/null | grep -F "$KUBE_VERSION" >/dev/null || return 1; fi
  done
  [[ -z $ETCD ]] || "$1/etcd" --version 2>/dev/null | grep -F "${ETCD_VERSION#v}" >/dev/null || return 1
}
# Without a lock: a finished folder appears in one rename, so it may be used while another build runs.
if good "$DEST"; then say "cached: $DEST"; echo "$DEST"; exit 0; fi

[[ -z $GIVEN ]] || command -v go >/dev/null || die "$GIVEN, and no 'go' on PATH to build it. Install Go, or put them there ($KUBE_VERSION)"
command -v go >/dev/null || die "no 'go' on PATH. Install Go, or set KUBEBUILDER_ASSETS to a folder with ${KUBE_BINS// /, }${ETCD:+ and etcd (setup-envtest downloads one)}"
export CGO_ENABLED=0 GOFLAGS='' GOWORK=off GOOS=$OS GOARCH=$ARCH
[[ $(go env GOVERSION) =~ ^go1\.([0-9]+) && ${BASH_REMATCH[1]} -ge 21 ]] || die "$(go version): Go 1.21 or newer is needed (it fetches the toolchain that go.mod names)"
if command -v flock >/dev/null; then
  exec 9>"$ROOT/.lock"; flock -w 3600 9 || die "another build holds $ROOT/.lock"
  if good "$DEST"; then say "cached: $DEST"; echo "$DEST"; exit 0; fi
  rm -rf "$ROOT"/.build.*                   # of builds that were killed: the lock is ours, so none is running
fi

WORK=$(mktemp -d "$ROOT/.build.XXXXXX"); trap 'rm -rf "$WORK"' EXIT; cd "$WORK"
[[ -z $GIVEN ]] || say "$GIVEN"
say "$(go version); target $KEY"
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
# Module downloads print hundreds of lines: shown only when a build fails.
build() { # package, output, ldflags
  say "building $2"
  go build -mod=readonly -trimpath -ldflags "$3" -o "bin/$2" "$1" 2>build.log || { tail -20 build.log >&2; die "go build $1"; }
}
L="-s -w"
for p in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  L+=" -X $p.gitVersion=$KUBE_VERSION -X $p.gitMajor=1 -X $p.gitMinor=$MINOR -X $p.gitTreeState=clean"
done
mkdir bin
[[ -z $ETCD ]] || build go.etcd.io/etcd/server/v3 etcd "-s -w"
for b in $KUBE_BINS; do build "k8s.io/kubernetes/cmd/$b" "$b" "$L"; done
good bin || die "a binary is missing or reports another version"
rm -rf "$DEST"; mv bin "$DEST"
say "done: $(du -sh "$DEST" | cut -f1) in $DEST"; echo "$DEST"
