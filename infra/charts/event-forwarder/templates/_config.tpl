{{/* The configuration file of the forwarder (docs/forwarder.md). */}}
{{- define "forwarder.config" -}}
source:
  type: {{ .Values.source.type }}
  name: {{ .Values.source.name | quote }}
  {{- with .Values.source.wds }}
  wds: {{ . | quote }}
  {{- end }}
  {{- if eq .Values.source.type "wec" }}
  select:
    {{- with .Values.source.select }}
    {{- if .appliedManifestWorks }}
    appliedManifestWorks: true
    {{- end }}
    {{- with .labelSelector }}
    labelSelector: {{ . | quote }}
    {{- end }}
    {{- with .resources }}
    resources: {{ toJson . }}
    {{- end }}
    {{- end }}
  {{- with .Values.source.labels }}
  labels: {{ toJson . }}
  {{- end }}
  {{- with .Values.source.annotations }}
  annotations: {{ toJson . }}
  {{- end }}
  {{- end }}
queue:
  {{- if .Values.queue.sqs.url }}
  sqs:
    url: {{ .Values.queue.sqs.url | quote }}
    {{- with .Values.queue.sqs.region }}
    region: {{ . | quote }}
    {{- end }}
  {{- else }}
  http:
    url: {{ .Values.queue.http.url | quote }}
    tokenFile: /etc/starfold/token/token
    {{- if or .Values.queue.http.ca.configMap .Values.queue.http.ca.secret }}
    caFile: /etc/starfold/ca/ca.crt
    {{- end }}
  {{- end }}
leaderElection:
  enabled: {{ .Values.leaderElection.enabled }}
  namespace: {{ include "forwarder.leaseNamespace" . | quote }}
  {{- if .Values.leaderElection.enabled }}
  name: {{ include "forwarder.lease" . | quote }}
  {{- end }}
  leaseDurationSeconds: {{ .Values.leaderElection.leaseDurationSeconds }}
  renewDeadlineSeconds: {{ .Values.leaderElection.renewDeadlineSeconds }}
  retryPeriodSeconds: {{ .Values.leaderElection.retryPeriodSeconds }}
kubernetes:
  {{- if .Values.kubernetes.kubeconfigSecret.name }}
  kubeconfig: /etc/starfold/kubeconfig/kubeconfig
  {{- with .Values.kubernetes.context }}
  context: {{ . | quote }}
  {{- end }}
  {{- end }}
  qps: {{ .Values.kubernetes.qps }}
  burst: {{ .Values.kubernetes.burst }}
{{- if not (kindIs "invalid" .Values.batchMilliseconds) }}
batchMilliseconds: {{ .Values.batchMilliseconds }}
{{- end }}
{{- if not (kindIs "invalid" .Values.heartbeatSeconds) }}
heartbeatSeconds: {{ .Values.heartbeatSeconds }}
{{- end }}
resyncHours: {{ .Values.resyncHours }}
server:
  port: {{ .Values.server.port }}
  host: {{ .Values.server.host | quote }}
shutdownSeconds: {{ .Values.shutdownSeconds }}
logLevel: {{ .Values.logLevel }}
{{- end -}}
