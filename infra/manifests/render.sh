#!/usr/bin/env bash
# Renders the manifests of this folder from the chart: for clusters to which nothing is installed by Helm.
#   infra/manifests/render.sh [FOLDER]      default: this folder. Needs Go to build helm, or HELM_ASSETS: a folder with it.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
FOLDER=$(cd "${1:-$HERE}" && pwd)
cd "$HERE"
HELM=$(../local/kube-assets/build-helm.sh)/helm

head_of() { # what, what to change
  cat <<TEXT
# $1
# Rendered by infra/manifests/render.sh. Before \`kubectl apply --server-side -f\`, change what is yours:
# $2.
${3-# After a later change of the ConfigMap: kubectl -n starfold rollout restart deployment event-forwarder
}apiVersion: v1
kind: Namespace
metadata:
  name: starfold
  labels:
    pod-security.kubernetes.io/enforce: restricted
TEXT
}

render() { # name, set of values, what, what to change
  { head_of "$3" "$4" ${5+"$5"}
    "$HELM" template event-forwarder ../charts/event-forwarder --namespace starfold -f "../charts/event-forwarder/ci/$2-values.yaml" |
      sed -e '/^# Source:/d' -e '/^ *app.kubernetes.io\/managed-by: Helm$/d' -e '/^ *helm.sh\/chart:/d' \
        -e '/^      annotations:$/,/^        checksum\/config:/d' -e '/^$/d'
  } >"$FOLDER/$1.yaml"
}

readonly IMAGE='the image (registry.example.com stands for your registry)'
readonly QUEUE="the URL of the queue, the role of the ServiceAccount, $IMAGE"
readonly NAME='the name of the cluster (in the ConfigMap, and cluster1 in the names of the Lease)'
render wec wec-appliedmanifestworks 'The forwarder of a WEC that Open Cluster Management applies to, to SQS.' "$NAME, the WDS, what is selected (and with it the rules of the ClusterRole), $QUEUE"
render wec-http http 'The forwarder of a WEC, to the embedded stack.' "$NAME, the WDS, what is selected (and with it the rules of the ClusterRole), the URL, $IMAGE; make the Secret starfold-token and the ConfigMap starfold-ca"
render its its 'The forwarder of an ITS of KubeStellar, for all its WECs, to SQS.' "the name of the ITS (in the ConfigMap, and its1 in the names of the Lease), $QUEUE"
render wds wds 'The forwarder of a WDS that pods can run in, to SQS.' "the name of the WDS (in the ConfigMap, and wds1 in the names of the Lease), $QUEUE"
render wds-access wds-access 'In a WDS without nodes: the account of its forwarder.' 'wds1 in the name of the Lease' ''
render wds-remote wds-remote 'Where pods can run: the forwarder of a WDS without nodes, to SQS.' "the name of the WDS (in the ConfigMap, twice), $QUEUE; make the Secret wds1-kubeconfig"
render fleet fleet 'The forwarder of a management cluster of Rancher Fleet, to SQS.' "the name of the management cluster (in the ConfigMap, and upstream1 in the names of the Lease), $QUEUE"
