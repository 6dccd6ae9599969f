# shellcheck shell=bash
# What the build scripts of this folder share. Such a script prints progress on stderr and a folder with the programs on
# stdout. It takes the folder that a variable names, else a finished folder of the cache, else it builds one from Go modules.
#   missing FOLDER       a function of the script: prints, a line each, what is not in the folder
#   good FOLDER          a function of the script: whether the folder is complete and of the wanted version
set -euo pipefail
NAME=$(basename "$0" .sh)
# The only argument of each script.
ROOT=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/kube-assets}
# shellcheck disable=SC2034
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
OS=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in x86_64) ARCH=amd64 ;; aarch64|arm64) ARCH=arm64 ;; *) ARCH=$(uname -m) ;; esac

say() { printf '%s [%4ss] %s\n' "$NAME" "$SECONDS" "$*" >&2; }
die() { printf '%s: FAILED: %s\n' "$NAME" "$*" >&2; exit 1; }
trap 'die "line $LINENO: $BASH_COMMAND (exit $?)"' ERR

# Prints the version that a go.mod requires of a module.
version_in() { # go.mod, module
  local version
  version=$(sed -n "s#^.*$2 \(v[^ ]*\).*\$#\1#p" "$1" | head -1)
  [[ -n $version ]] || die "$1 does not name a version of $2"
  echo "$version"
}

# Prints eight characters that change if one of the files changes.
digest() { cat "$@" | git hash-object --stdin | cut -c1-8; }

# Ends with the folder that the variable names, whatever the versions in it.
use_given() { # name of the variable
  local folder=${!1:-} without
  [[ -n $folder ]] || return 0
  without=$(missing "$folder" | head -1)
  [[ -z $without ]] || die "$1 is $folder, and there is no $without in it"
  (cd "$folder" && pwd); exit 0
}

# Ends with the finished folder. It appears in one rename, so it may be used while another build runs.
use_finished() {
  good "$DEST" || return 0
  say "cached: $DEST"; echo "$DEST"; exit 0
}

# Sets DEST, the folder of the cache. Ends if it is finished.
use_cache() { # name of the folder, without the platform
  mkdir -p "$ROOT"; ROOT=$(cd "$ROOT" && pwd); DEST=$ROOT/$1-$OS-$ARCH
  use_finished
}

# Goes to an empty folder, in which no other build runs. The result is to be in out/.
begin_build() { # what to do without Go
  command -v go >/dev/null || die "no 'go' on PATH. Install Go, or $1"
  # If Go is older than go.mod says, it fetches the toolchain that go.mod names.
  export CGO_ENABLED=0 GOFLAGS='' GOWORK=off GOTOOLCHAIN=auto GOOS=$OS GOARCH=$ARCH
  [[ $(go env GOVERSION) =~ ^go1\.([0-9]+) && ${BASH_REMATCH[1]} -ge 21 ]] ||
    die "$(go version): Go 1.21 or newer is needed (it fetches the toolchain that go.mod names)"
  if command -v flock >/dev/null; then
    exec 9>"$ROOT/.$NAME.lock"; flock -w 3600 9 || die "another build holds $ROOT/.$NAME.lock"
    use_finished
    rm -rf "$ROOT/.$NAME.work."*    # of builds that were killed: the lock is ours, so none is running
  fi
  WORK=$(mktemp -d "$ROOT/.$NAME.work.XXXXXX"); trap 'rm -rf "$WORK"' EXIT; cd "$WORK"
  say "$(go version); target ${DEST##*/}"
}

# Builds a program into out/. Module downloads print hundreds of lines: they are shown only if the build fails.
build() { # package, name of the program, linker flags
  say "building $2"
  go build -mod=readonly -trimpath -ldflags "-s -w ${3:-}" -o "out/$2" "$1" 2>build.log ||
    { tail -20 build.log >&2; die "go build $1"; }
}

# Puts out/ in its place.
finish_build() {
  good out || die 'something is missing, or a program reports another version'
  rm -rf "$DEST"; mv out "$DEST"
  say "done: $(du -sh "$DEST" | cut -f1) in $DEST"; echo "$DEST"
}
