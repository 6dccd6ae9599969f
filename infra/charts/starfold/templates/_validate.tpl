{{/* What a JSON schema can refuse only in words that help nobody. Each message names the value and what to do. */}}
{{- define "starfold.validate" -}}
{{- if .Values.accessOnly -}}
{{- include "starfold.validateAccess" . -}}
{{- else -}}
{{- include "starfold.validateFiles" . -}}
{{- include "starfold.validateServed" . -}}
{{- include "starfold.validatePod" . -}}
{{- end -}}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.name is missing: serviceAccount.create is false, so name the account that there is" -}}
{{- end -}}
{{- include "starfold.validateLabels" (dict "field" "labels" "labels" .Values.labels "own" (list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/part-of" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "app.kubernetes.io/component" "helm.sh/chart")) -}}
{{- end -}}

{{- define "starfold.validateAccess" -}}
{{- if .Values.wds.kubeconfigSecret.name -}}
{{- fail "accessOnly and wds.kubeconfigSecret.name are both set: the first is for the WDS, the second for the cluster in which Starfold runs" -}}
{{- end -}}
{{- if not .Values.serviceAccount.create -}}
{{- fail "serviceAccount.create must be true with accessOnly: the token is that of the account" -}}
{{- end -}}
{{- end -}}

{{- define "starfold.validateFiles" -}}
{{- if not .Values.tokens.secretName -}}
{{- fail "tokens.secretName is missing: name a Secret with the file tokens.yaml, in which a line such as `wec/cluster1: TOKEN` names each forwarder (docs/install.md, section 13)" -}}
{{- end -}}
{{- $tls := .Values.tls -}}
{{- if and $tls.secretName $tls.certManager.issuerRef.name -}}
{{- fail "tls.secretName and tls.certManager.issuerRef.name are both set: keep one of them" -}}
{{- end -}}
{{- if not (or $tls.secretName $tls.certManager.issuerRef.name) -}}
{{- fail "tls is missing: name a Secret with tls.crt and tls.key in tls.secretName, or an issuer of cert-manager in tls.certManager.issuerRef.name" -}}
{{- end -}}
{{- if and $tls.secretName $tls.certManager.dnsNames -}}
{{- fail "tls.certManager.dnsNames is for a Certificate: remove it, the certificate is in tls.secretName" -}}
{{- end -}}
{{- $remote := .Values.wds.kubeconfigSecret.name -}}
{{- if and .Values.wds.context (not $remote) -}}
{{- fail "wds.context is for a kubeconfig: remove it, or name the Secret with the kubeconfig in wds.kubeconfigSecret.name" -}}
{{- end -}}
{{- if and $remote (ne .Values.wds.server "https://kubernetes.default.svc") -}}
{{- fail "wds.server is for a WDS that is the cluster of this release: remove it, the kubeconfig names the server" -}}
{{- end -}}
{{- if and .Values.inventoryContext (not $remote) (ne .Values.inventoryContext .Values.wds.name) -}}
{{- fail (printf "inventoryContext must be %s: the WDS is the cluster of this release, and there is no kubeconfig with other contexts (wds.kubeconfigSecret.name)" .Values.wds.name) -}}
{{- end -}}
{{- end -}}

{{- define "starfold.validateServed" -}}
{{- $api := .Values.api -}}
{{- if and $api.console (not $api.enabled) -}}
{{- fail "api.enabled must be true with api.console: the page reads the API" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not $api.enabled) -}}
{{- fail "api.enabled must be true with ingress.enabled: the Ingress leads to the API" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.host is missing: name the host of the API, such as starfold.example.com" -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.enabled) -}}
{{- fail "metrics.enabled must be true with metrics.serviceMonitor.enabled: the ServiceMonitor reads the metrics" -}}
{{- end -}}
{{- $ports := list (int .Values.intake.port) -}}
{{- if $api.enabled -}}{{- $ports = append $ports (int $api.port) -}}{{- end -}}
{{- if .Values.metrics.enabled -}}{{- $ports = append $ports (int .Values.metrics.port) -}}{{- end -}}
{{- if ne (len $ports) (len (uniq $ports)) -}}
{{- fail "intake.port, api.port and metrics.port must differ: one pod listens at all of them" -}}
{{- end -}}
{{- end -}}

{{- define "starfold.validatePod" -}}
{{- if not .Values.image.repository -}}
{{- fail "image.repository is missing: name the image that you have built and pushed, without its tag (docs/install.md, section 13)" -}}
{{- end -}}
{{- if regexMatch "(@|:[^/]*$)" .Values.image.repository -}}
{{- fail (printf "image.repository is %s: leave out the tag and the digest, which go into image.tag and image.digest" .Values.image.repository) -}}
{{- end -}}
{{- include "starfold.validateLabels" (dict "field" "podLabels" "labels" .Values.podLabels "own" (list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/part-of")) -}}
{{- $own := append (include "starfold.volumes" . | fromYamlArray) (dict "name" "state") -}}
{{- range concat .Values.extraVolumes .Values.extraVolumeMounts -}}
{{- $name := .name -}}
{{- range $own -}}
{{- if eq .name $name -}}
{{- fail (printf "extraVolumes, extraVolumeMounts: %s is a volume of the chart: give yours another name" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* `labels` of the value `field` have none that the chart sets itself. */}}
{{- define "starfold.validateLabels" -}}
{{- $field := .field -}}
{{- $labels := .labels -}}
{{- range .own -}}
{{- if hasKey $labels . -}}
{{- fail (printf "%s: %s is the chart's own, StatefulSet, Service and NetworkPolicy go by such labels: remove it" $field .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
