{{/* Names and labels. */}}
{{- define "forwarder.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $both := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $both .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Of objects without a namespace: two releases of one name in two namespaces must not share them. */}}
{{- define "forwarder.clusterName" -}}
{{- printf "%s-%s" .Release.Namespace (include "forwarder.fullname" .) -}}
{{- end -}}

{{- define "forwarder.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "forwarder.labels" -}}
{{ include "forwarder.selectorLabels" . }}
app.kubernetes.io/part-of: starfold
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "forwarder.serviceAccount" -}}
{{- default (include "forwarder.fullname" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "forwarder.tokenSecret" -}}
{{- default (printf "%s-token" (include "forwarder.fullname" .)) .Values.queue.http.tokenSecret.name -}}
{{- end -}}

{{- define "forwarder.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{/* The Lease: one for each source, whatever the release is called. A name that had to be changed ends in a hash, so that no two sources share it; the program has the same rule (docs/forwarder.md). */}}
{{- define "forwarder.lease" -}}
{{- $source := .Values.source -}}
{{- $given := printf "event-forwarder-%s-%s" $source.type $source.name -}}
{{- $fit := regexReplaceAll "[^a-z0-9.-]" (lower $given) "-" -}}
{{- if or (ne $fit $given) (gt (len $fit) 200) -}}
{{- $fit = printf "%s-%s" (trunc 190 $fit) (printf "%s/%s" $source.type $source.name | sha256sum | trunc 8) -}}
{{- end -}}
{{- default $fit .Values.leaderElection.name -}}
{{- end -}}
{{- define "forwarder.leaseNamespace" -}}
{{- default .Release.Namespace .Values.leaderElection.namespace -}}
{{- end -}}

{{/* The Role for the Lease: in a namespace that is not the release's, releases of one name may meet. */}}
{{- define "forwarder.leaseRole" -}}
{{- $name := ternary "forwarder.fullname" "forwarder.clusterName" (eq (include "forwarder.leaseNamespace" .) .Release.Namespace) -}}
{{- include $name . -}}
{{- end -}}

{{/* Whether the roles stand in the cluster of this release: it is the one that is watched. */}}
{{- define "forwarder.hasRoles" -}}
{{- if and .Values.rbac.create (not .Values.kubernetes.kubeconfigSecret.name) -}}yes{{- end -}}
{{- end -}}

{{/* The queue's port: that of its URL. */}}
{{- define "forwarder.queuePort" -}}
{{- $url := urlParse (default .Values.queue.sqs.url .Values.queue.http.url) -}}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" -}}
{{- default (ternary "80" "443" (eq $url.scheme "http")) $port -}}
{{- end -}}
