{{/* Names and labels. */}}
{{- define "starfold.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $both := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- /* The longest suffix is `-headless`. */ -}}
{{- default $both .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* Of objects without a namespace, and of those in kube-system: two releases of one name in two namespaces must not share them. */}}
{{- define "starfold.clusterName" -}}
{{- printf "%s-%s" .Release.Namespace (include "starfold.fullname" .) -}}
{{- end -}}

{{- define "starfold.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "starfold.labels" -}}
{{ include "starfold.selectorLabels" . }}
app.kubernetes.io/part-of: starfold
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "starfold.serviceAccount" -}}
{{- default (include "starfold.fullname" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "starfold.tlsSecret" -}}
{{- default (printf "%s-tls" (include "starfold.fullname" .)) .Values.tls.secretName -}}
{{- end -}}

{{- define "starfold.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{/* Whether the roles stand in the cluster of this release, because it is the WDS. */}}
{{- define "starfold.hasRoles" -}}
{{- if and .Values.rbac.create (not .Values.wds.kubeconfigSecret.name) -}}yes{{- end -}}
{{- end -}}

{{/* The context of the WDS in the kubeconfig of the pod. */}}
{{- define "starfold.context" -}}
{{- default .Values.wds.name .Values.wds.context -}}
{{- end -}}

{{/* Whether the ManagedClusters are read in the WDS. */}}
{{- define "starfold.readsInventory" -}}
{{- $inventory := .Values.inventoryContext -}}
{{- if or (and .Values.resolveBindings (not $inventory)) (eq $inventory (include "starfold.context" .)) -}}yes{{- end -}}
{{- end -}}
