#!/usr/bin/env bash
# Builds an image that testcontainers starts as if it were LocalStack's: MiniStack from PyPI on the Python of the
# distribution, with the project's Node for the Lambda functions. For machines that cannot pull LocalStack's image.
#
#   infra/local/emulator/build-image.sh [NAME]      default name: local/localstack-compat:1
#
# Needs Docker, and Python 3 as /usr/bin/python3; some Python with pip. Prints the name of the image. It starts nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

readonly MINISTACK=1.5.33
readonly IMAGE=${1:-local/localstack-compat:1}

die() { echo "build-image.sh: $*" >&2; exit 1; }
docker info >/dev/null 2>&1 || die 'no Docker engine answers: start one (dockerd)'
[[ -x /usr/bin/python3 ]] || die '/usr/bin/python3 is missing: install python3'
[[ -x node_modules/node/bin/node ]] || die 'the project has no Node yet: run npm ci'
PYTHON=$(realpath /usr/bin/python3)
NODE=$(realpath node_modules/node/bin/node)
VERSION=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
PIP=
for python in "$PYTHON" python3; do
  if "$python" -m pip --version >/dev/null 2>&1; then PIP=$python; break; fi
done
[[ -n $PIP ]] || die 'no Python has pip: install python3-pip'

ROOT=$(mktemp -d)
trap 'rm -rf "$ROOT"' EXIT
chmod 755 "$ROOT"

folders() {
  mkdir -p "$ROOT"/usr/{bin,lib,lib64,local/bin} "$ROOT"/{opt,etc/ssl,proc,sys,dev,root,var,tmp}
  chmod 1777 "$ROOT/tmp"
  local folder
  for folder in bin lib lib64; do ln -s "usr/$folder" "$ROOT/$folder"; done
}

programs() {
  cp "$PYTHON" "$ROOT/usr/bin/"
  [[ $(basename "$PYTHON") == python3 ]] || ln -s "$(basename "$PYTHON")" "$ROOT/usr/bin/python3"
  install -m 755 "$NODE" "$ROOT/usr/local/bin/node"
  cp -L /bin/sh "$ROOT/usr/bin/sh"
  cp -a "/usr/lib/python$VERSION" "$ROOT/usr/lib/"
  rm -rf "$ROOT/usr/lib/python$VERSION"/{test,idlelib,tkinter,ensurepip,turtledemo}
}

# Every shared library that a program, or an extension module of Python, is linked with.
libraries() {
  local library folder
  { printf '%s\n' "$PYTHON" "$NODE" /bin/sh; find "/usr/lib/python$VERSION/lib-dynload" -name '*.so'; } |
    xargs -n1 ldd 2>/dev/null | grep -oE '/[^ )]+' | sort -u |
    while read -r library; do
      folder=$ROOT$(realpath -m "$(dirname "$library")")
      mkdir -p "$folder"
      cp -L "$library" "$folder/"
    done
}

settings() {
  [[ -d /etc/ssl/certs ]] && cp -rL /etc/ssl/certs "$ROOT/etc/ssl/"
  echo 'root:x:0:0::/root:/bin/sh' >"$ROOT/etc/passwd"
  echo 'root:x:0:' >"$ROOT/etc/group"
  echo 'hosts: files dns' >"$ROOT/etc/nsswitch.conf"
}

emulator() {
  "$PIP" -m pip install -q --root-user-action=ignore --no-warn-conflicts --disable-pip-version-check \
    --only-binary=:all: --python-version "$VERSION" --target "$ROOT/opt/ministack" "ministack==$MINISTACK"
  "$PYTHON" infra/local/emulator/record-senders.py "$ROOT/opt/ministack/ministack"
}

folders
programs
libraries
settings
emulator
# The functions run with the first Node in the PATH, whatever runtime they ask for.
tar -C "$ROOT" --numeric-owner -c . | docker import \
  -c 'ENV PATH=/usr/local/bin:/usr/bin PYTHONPATH=/opt/ministack PYTHONUNBUFFERED=1 LAMBDA_EXECUTOR=local GATEWAY_PORT=4566 LOG_LEVEL=INFO' \
  -c 'EXPOSE 4566' -c 'WORKDIR /tmp' -c 'ENTRYPOINT ["python3","-m","ministack"]' - "$IMAGE" >/dev/null
echo "$IMAGE"
