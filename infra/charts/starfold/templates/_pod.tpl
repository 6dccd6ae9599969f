{{/* `HOST:PORT` of a port, as `starfold start` reads it. */}}
{{- define "starfold.address" -}}
{{- $host := .host -}}
{{- if contains ":" $host -}}{{- $host = printf "[%s]" $host -}}{{- end -}}
{{- printf "%s:%d" $host (int .port) -}}
{{- end -}}

{{/* The arguments of the container, as a list. */}}
{{- define "starfold.args" -}}
{{- $host := .Values.listenHost -}}
- start
- --state
- /state/starfold/state.sqlite
- --kubeconfig
- /etc/starfold/kubeconfig/kubeconfig
- --identity
- {{ default (printf "%s/%s" .Release.Namespace (include "starfold.fullname" .)) .Values.identity | quote }}
- --wds
- {{ printf "%s=%s" .Values.wds.name (include "starfold.context" .) | quote }}
- --listen
- {{ include "starfold.address" (dict "host" $host "port" .Values.intake.port) | quote }}
- --tokens
- /etc/starfold/tokens/tokens.yaml
- --tls-cert
- /etc/starfold/tls/tls.crt
- --tls-key
- /etc/starfold/tls/tls.key
{{- if .Values.resolveBindings }}
- --resolve-bindings
{{- end }}
{{- with .Values.inventoryContext }}
- --inventory
- {{ . | quote }}
{{- end }}
{{- if .Values.api.enabled }}
- --api
- {{ include "starfold.address" (dict "host" $host "port" .Values.api.port) | quote }}
{{- if .Values.api.console }}
- --console
{{- end }}
{{- end }}
{{- if .Values.metrics.enabled }}
- --metrics
- {{ include "starfold.address" (dict "host" $host "port" .Values.metrics.port) | quote }}
{{- end }}
{{- if .Values.notifications.secretName }}
- --notifications
- /etc/starfold/notifications/notifications.yaml
{{- end }}
{{- end -}}

{{/* What the container reads: name and source of each volume. */}}
{{- define "starfold.volumes" -}}
- name: kubeconfig
  {{- with .Values.wds.kubeconfigSecret }}
  {{- if .name }}
  secret: {secretName: {{ .name | quote }}, defaultMode: 0440, items: [{key: {{ .key | quote }}, path: kubeconfig}]}
  {{- else }}
  configMap: {name: {{ include "starfold.fullname" $ | quote }}}
  {{- end }}
  {{- end }}
{{- if not .Values.wds.kubeconfigSecret.name }}
# The kubeconfig names these files. The token is renewed.
- name: account
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: {expirationSeconds: 3600, path: token}
      - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
{{- end }}
- name: tokens
  secret: {secretName: {{ .Values.tokens.secretName | quote }}, defaultMode: 0440, items: [{key: {{ .Values.tokens.key | quote }}, path: tokens.yaml}]}
- name: tls
  secret: {secretName: {{ include "starfold.tlsSecret" . | quote }}, defaultMode: 0440, items: [{key: tls.crt, path: tls.crt}, {key: tls.key, path: tls.key}]}
{{- with .Values.notifications }}
{{- if .secretName }}
- name: notifications
  secret: {secretName: {{ .secretName | quote }}, defaultMode: 0440, items: [{key: {{ .key | quote }}, path: notifications.yaml}]}
{{- end }}
{{- end }}
{{- end -}}

{{/* Where the container finds them, and the volume that it writes. */}}
{{- define "starfold.mounts" -}}
- name: state
  mountPath: /state
{{- range include "starfold.volumes" . | fromYamlArray }}
- name: {{ .name }}
  mountPath: {{ printf "/etc/starfold/%s" .name }}
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The kubeconfig of the account in the cluster of this release. Unlike the pod's own token, these files have paths that the kubeconfig names. */}}
{{- define "starfold.kubeconfig" -}}
apiVersion: v1
kind: Config
current-context: {{ include "starfold.context" . | quote }}
contexts:
  - name: {{ include "starfold.context" . | quote }}
    context: {cluster: wds, user: account}
clusters:
  - name: wds
    cluster: {server: {{ .Values.wds.server | quote }}, certificate-authority: /etc/starfold/account/ca.crt}
users:
  - name: account
    user: {tokenFile: /etc/starfold/account/token}
{{- end -}}
