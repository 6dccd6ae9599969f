#!/usr/bin/env bash
# Starfold on three clusters of kind: a WDS and two WECs, the forwarders of the WECs from the chart, and the embedded
# stack on this machine, which takes their events by HTTPS.
#
#   infra/local/kind.sh up       makes what is missing of all this; may be repeated
#   infra/local/kind.sh demo     scales a Deployment and shows what the WECs and the WDS say
#   infra/local/kind.sh down     removes all that `up` has made
#
# Needs Linux, Docker, kind, kubectl, openssl, curl, npm ci, and helm or Go; and the images kindest/node (NODE_IMAGE) and
# nginx, pulled or loaded. FORWARDER_IMAGE names an image of the forwarder that is there; else it is built. STATE is the
# folder for kubeconfig, tokens, certificate and log. Where something cannot be had it says so, and no cluster is left that
# it has made.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

NODE_IMAGE=${NODE_IMAGE:-kindest/node:v1.34.0}
readonly WORKLOAD_IMAGE=nginx:1.29-alpine
readonly CLUSTERS=(wds1 wec1 wec2) WECS=(wec1 wec2)
readonly PORT=${STARFOLD_PORT:-8443}
STATE=$(realpath -m --relative-base . "${STATE:-.starfold/kind}")
KUBECONFIG=$(realpath -m "$STATE/kubeconfig")
export KUBECONFIG
MADE=()

say() { printf 'kind.sh [%4ss] %s\n' "$SECONDS" "$*" >&2; }
die() { echo "kind.sh: $*" >&2; exit 1; }
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
in_cluster() { local name=$1; shift; kubectl --context "kind-starfold-$name" "$@"; }

need_tools() {
  local tool missing=()
  for tool in docker kind kubectl openssl curl npm; do command -v "$tool" >/dev/null || missing+=("$tool"); done
  ((${#missing[@]} == 0)) || die "not installed: ${missing[*]}. Without them: npm start"
  docker info >/dev/null 2>&1 || die 'no Docker engine answers: start one (dockerd). Without it: npm start'
  [[ -x node_modules/node/bin/node ]] || die 'the project has no Node yet: run npm ci'
  command -v helm >/dev/null || command -v go >/dev/null || die 'not installed: helm, nor Go to build it'
}

need_image() { # name
  local problem
  docker image inspect "$1" >/dev/null 2>&1 && return
  say "pulling $1"
  problem=$(docker pull -q "$1" 2>&1 >/dev/null) && return
  die "the image $1 cannot be pulled: ${problem##*$'\n'}
kind.sh: bring it here with docker load, or name another with NODE_IMAGE; without any image: npm start"
}

exists() { kind get clusters 2>/dev/null | grep -x "starfold-$1" >/dev/null; }

remove_made() {
  local code=$? name
  ((code == 0 || ${#MADE[@]} == 0)) && return
  stop_stack
  # What it knew was of clusters that are gone.
  rm -f "$STATE"/state.sqlite{,-wal,-shm}
  for name in "${MADE[@]}"; do
    say "failed: removing the cluster $name, which was just made"
    kind delete cluster --name "starfold-$name" >&2 || true
  done
}

make_cluster() { # name
  exists "$1" && return
  say "making the cluster $1"
  MADE+=("$1")
  kind create cluster --name "starfold-$1" --image "$NODE_IMAGE" --wait 180s >&2
}

# A WDS holds workloads and runs none: without its controllers no pod is made of them.
stop_controllers() {
  docker exec starfold-wds1-control-plane sh -c \
    'cd /etc/kubernetes && if [ -f manifests/kube-controller-manager.yaml ]; then mv manifests/kube-controller-manager.yaml .; fi'
}

# The address of this machine in the network of the clusters.
host_address() {
  docker network inspect kind -f '{{range .IPAM.Config}}{{println .Gateway}}{{end}}' | grep -m1 -E '^[0-9.]+$' ||
    die 'the network of kind has no IPv4 gateway'
}

# openssl says by its words alone whether a certificate is of an address.
certificate_serves() { # address
  openssl x509 -in "$STATE/tls.crt" -noout -checkend 86400 >/dev/null 2>&1 &&
    openssl x509 -in "$STATE/tls.crt" -noout -checkip "$1" 2>/dev/null | grep 'does match' >/dev/null
}

make_secrets() { # address
  local name
  mkdir -p "$STATE"
  umask 077
  if ! certificate_serves "$1"; then
    openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=starfold -addext "subjectAltName=IP:$1" \
      -keyout "$STATE/tls.key" -out "$STATE/tls.crt" 2>/dev/null
  fi
  if [[ ! -f $STATE/tokens.yaml ]]; then
    for name in "${WECS[@]}"; do echo "wec/$name: $(openssl rand -hex 32)"; done >"$STATE/tokens.yaml"
  fi
}

stack_answers() { curl -sf --max-time 5 --cacert "$STATE/tls.crt" "https://$1:$PORT/healthz" >/dev/null; }

start_stack() { # address
  local try
  stack_answers "$1" && return
  # One with an older certificate or another address may run: two would share port and state.
  stop_stack
  say "starting the stack; its log is $STATE/stack.log"
  nohup node_modules/node/bin/node local/cli/starfold.ts start --kubeconfig "$KUBECONFIG" \
    --wds wds1=kind-starfold-wds1 --listen "$1:$PORT" --tokens "$STATE/tokens.yaml" --tls-cert "$STATE/tls.crt" \
    --tls-key "$STATE/tls.key" --state "$STATE/state.sqlite" >"$STATE/stack.log" 2>&1 </dev/null &
  echo $! >"$STATE/stack.pid"
  for ((try = 0; try < 60; try++)); do
    stack_answers "$1" && return
    kill -0 "$(<"$STATE/stack.pid")" 2>/dev/null || break
    sleep 1
  done
  tail -20 "$STATE/stack.log" >&2
  die 'the stack does not answer (its last lines stand above)'
}

# After a restart of the machine the number may be another process's.
is_stack() { grep -qz 'local/cli/starfold.ts' "/proc/$1/cmdline" 2>/dev/null; }

# Stops the stack, and waits until it is gone.
stop_stack() {
  local pid try
  [[ -f $STATE/stack.pid ]] || return 0
  pid=$(<"$STATE/stack.pid")
  for ((try = 0; try < 150; try++)); do
    is_stack "$pid" || break
    ((try > 0)) || kill "$pid" 2>/dev/null || true
    sleep 0.2
  done
  if is_stack "$pid"; then
    say "the stack (process $pid) has not ended within 30 seconds: killing it"
    kill -KILL "$pid" 2>/dev/null || true
  fi
  rm -f "$STATE/stack.pid"
}

install_forwarder() { # name, address, image, helm
  local token
  token=$(sed -n "s#^wec/$1: ##p" "$STATE/tokens.yaml")
  in_cluster "$1" create namespace starfold --dry-run=client -o yaml | in_cluster "$1" apply -f - >&2
  in_cluster "$1" -n starfold create secret generic starfold-token --from-file=token=<(printf %s "$token") \
    --dry-run=client -o yaml | in_cluster "$1" apply -f - >&2
  in_cluster "$1" -n starfold create configmap starfold-ca --from-file=ca.crt="$STATE/tls.crt" \
    --dry-run=client -o yaml | in_cluster "$1" apply -f - >&2
  "$4" upgrade --install forwarder infra/charts/event-forwarder --kube-context "kind-starfold-$1" --namespace starfold \
    -f infra/local/kind/values.yaml --set "source.name=$1,queue.http.url=https://$2:$PORT" \
    --set "image.repository=${3%:*},image.tag=${3##*:}" >&2
  in_cluster "$1" -n starfold rollout status deployment --timeout 180s >&2
}

up() {
  local name address image helm
  need_tools
  need_image "$NODE_IMAGE"
  need_image "$WORKLOAD_IMAGE"
  helm=$(command -v helm || echo "$(infra/local/kube-assets/build-helm.sh)/helm")
  image=${FORWARDER_IMAGE:-$(infra/local/image.sh event-forwarder)}
  mkdir -p "$STATE"
  trap remove_made EXIT
  for name in "${CLUSTERS[@]}"; do make_cluster "$name"; done
  for name in "${WECS[@]}"; do kind load docker-image --name "starfold-$name" "$image" "$WORKLOAD_IMAGE" >&2; done
  stop_controllers
  in_cluster wds1 apply --server-side -f infra/crds >&2
  in_cluster wds1 wait --for=condition=Established crd --all --timeout 60s >&2
  for name in "${CLUSTERS[@]}"; do in_cluster "$name" apply --server-side -f infra/local/kind/workload.yaml >&2; done
  in_cluster wds1 apply --server-side -f infra/collectors/deployment-replicas.yaml -f infra/local/kind/control.yaml >&2
  address=$(host_address)
  make_secrets "$address"
  start_stack "$address"
  for name in "${WECS[@]}"; do install_forwarder "$name" "$address" "$image" "$helm"; done
  MADE=()
  say "ready. export KUBECONFIG=$STATE/kubeconfig; contexts kind-starfold-{wds1,wec1,wec2}; next: infra/local/kind.sh demo"
}

show() {
  local name
  for name in "${CLUSTERS[@]}"; do
    printf '%-6s' "$name"
    in_cluster "$name" -n shop get deployment web --no-headers
  done
}

ready_in() { in_cluster "$1" -n shop get deployment web -o jsonpath='{.status.readyReplicas}' 2>/dev/null; }

demo() {
  local name try replicas
  need_tools
  for name in "${CLUSTERS[@]}"; do exists "$name" || die "there is no cluster $name: run infra/local/kind.sh up first"; done
  replicas=$(in_cluster wds1 -n shop get deployment web -o jsonpath='{.spec.replicas}')
  replicas=$((replicas == 2 ? 4 : 2))
  say "scaling shop/web to $replicas in the WDS, and in the WECs as a transport would"
  for name in "${CLUSTERS[@]}"; do in_cluster "$name" -n shop scale deployment web --replicas "$replicas" >&2; done
  for ((try = 0; try < 60; try++)); do
    show; echo
    [[ $(ready_in wec1) == "$replicas" && $(ready_in wec2) == "$replicas" && $(ready_in wds1) == "$replicas" ]] && break
    sleep 1
  done
  ((try < 60)) || die "the WDS does not say so after a minute: $STATE/stack.log, and the logs of the forwarders"
  in_cluster wds1 -n shop get combinedstatuses -o yaml | sed -n '/^  results:/,/^kind/p' | sed '$d'
}

down() {
  local name
  stop_stack
  if command -v kind >/dev/null; then
    for name in "${CLUSTERS[@]}"; do kind delete cluster --name "starfold-$name" >&2; done
  fi
  # By name: the folder is the user's to choose, and may have other files.
  [[ -d $STATE ]] || return 0
  rm -f "$STATE"/{kubeconfig,kubeconfig.lock,tls.key,tls.crt,tokens.yaml,stack.log} "$STATE"/state.sqlite{,-wal,-shm}
  rmdir "$STATE" 2>/dev/null || say "$STATE has other files, which are left"
}

case ${1:-} in
  up | demo | down) (($# == 1)) || { usage >&2; exit 2; }; "$1" ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
