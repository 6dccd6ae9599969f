{{/* Environment of the container, as a list that may be empty. */}}
{{- define "forwarder.env" -}}
{{- with .Values.queue.sqs.credentialsSecret }}
- name: AWS_ACCESS_KEY_ID
  valueFrom: {secretKeyRef: {name: {{ . | quote }}, key: AWS_ACCESS_KEY_ID}}
- name: AWS_SECRET_ACCESS_KEY
  valueFrom: {secretKeyRef: {name: {{ . | quote }}, key: AWS_SECRET_ACCESS_KEY}}
- name: AWS_SESSION_TOKEN
  valueFrom: {secretKeyRef: {name: {{ . | quote }}, key: AWS_SESSION_TOKEN, optional: true}}
{{- end }}
{{- with .Values.queue.sqs.webIdentity.roleArn }}
- name: AWS_ROLE_ARN
  value: {{ . | quote }}
- name: AWS_WEB_IDENTITY_TOKEN_FILE
  value: /var/run/secrets/starfold/aws/token
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What the container reads: name, path and the source of each volume. */}}
{{- define "forwarder.volumes" -}}
- name: config
  configMap: {name: {{ include "forwarder.fullname" . | quote }}}
{{- with .Values.kubernetes.kubeconfigSecret }}
{{- if .name }}
- name: kubeconfig
  secret: {secretName: {{ .name | quote }}, defaultMode: 0440, items: [{key: {{ .key | quote }}, path: kubeconfig}]}
{{- end }}
{{- end }}
{{- if .Values.queue.sqs.webIdentity.roleArn }}
- name: aws
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: {audience: {{ .Values.queue.sqs.webIdentity.audience | quote }}, expirationSeconds: 3600, path: token}
{{- end }}
{{- if .Values.queue.http.url }}
- name: token
  secret: {secretName: {{ include "forwarder.tokenSecret" . | quote }}, defaultMode: 0440, items: [{key: {{ .Values.queue.http.tokenSecret.key | quote }}, path: token}]}
{{- with .Values.queue.http.ca }}
{{- if .configMap }}
- name: ca
  configMap: {name: {{ .configMap | quote }}, items: [{key: {{ .key | quote }}, path: ca.crt}]}
{{- else if .secret }}
- name: ca
  secret: {secretName: {{ .secret | quote }}, defaultMode: 0440, items: [{key: {{ .key | quote }}, path: ca.crt}]}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Where the container finds them, and what else is asked for. */}}
{{- define "forwarder.mounts" -}}
{{- range include "forwarder.volumes" . | fromYamlArray }}
- name: {{ .name }}
  mountPath: {{ ternary "/var/run/secrets/starfold/aws" (printf "/etc/starfold/%s" .name) (eq .name "aws") }}
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}
