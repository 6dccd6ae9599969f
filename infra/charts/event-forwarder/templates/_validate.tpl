{{/* What a JSON schema can refuse only in words that help nobody. Each message names the value and what to do. */}}
{{- define "forwarder.validate" -}}
{{- include "forwarder.validateSource" . -}}
{{- if not .Values.accessOnly -}}
{{- include "forwarder.validateQueue" . -}}
{{- include "forwarder.validatePods" . -}}
{{- end -}}
{{- include "forwarder.validateLabels" (dict "field" "labels" "labels" .Values.labels "own" (list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/part-of" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart")) -}}
{{- include "forwarder.validateInstallation" . -}}
{{- end -}}

{{- define "forwarder.validateSource" -}}
{{- $source := .Values.source -}}
{{- $select := $source.select -}}
{{- $listed := or $select.labelSelector $select.resources -}}
{{- if not $source.name -}}
{{- fail "source.name is missing: name the cluster as Bindings do (clusterId)" -}}
{{- end -}}
{{- if eq $source.type "wec" -}}
{{- if and $select.labelSelector (not (trim $select.labelSelector)) -}}
{{- fail "source.select.labelSelector is blank: give one such as app=shop, or remove it: an empty one would choose every object of the cluster" -}}
{{- end -}}
{{- if and $select.appliedManifestWorks $listed -}}
{{- fail "source.select: appliedManifestWorks goes alone: remove it, or labelSelector and resources" -}}
{{- end -}}
{{- if not (or $select.appliedManifestWorks $listed) -}}
{{- fail "source.select is missing: set appliedManifestWorks (KubeStellar, OCM), or labelSelector or resources: it says which objects came from a WDS" -}}
{{- end -}}
{{- if and $listed (not $source.wds) -}}
{{- fail "source.wds is missing: name the WDS that the objects came from" -}}
{{- end -}}
{{- else if or $select.appliedManifestWorks $listed -}}
{{- fail (printf "source.select is for source.type wec: remove it, source.type is %s" $source.type) -}}
{{- end -}}
{{- if and (ne $source.type "wec") (or $source.labels $source.annotations) -}}
{{- fail (printf "source.labels and source.annotations are for source.type wec: remove them, source.type is %s" $source.type) -}}
{{- end -}}
{{- if and (eq $source.type "inventory") $source.wds -}}
{{- fail "source.wds is for source.type wec and its: remove it, the labels of ManagedClusters count for every WDS" -}}
{{- end -}}
{{- if and (eq $source.type "wds") $source.wds -}}
{{- fail "source.wds is for source.type wec and its: remove it, source.name names the WDS" -}}
{{- end -}}
{{- if and (eq $source.type "fleet") $source.wds -}}
{{- fail "source.wds is for source.type wec and its: remove it, a management cluster of Fleet has none" -}}
{{- end -}}
{{- end -}}

{{- define "forwarder.validateQueue" -}}
{{- $sqs := .Values.queue.sqs -}}
{{- $http := .Values.queue.http -}}
{{- if and $sqs.url $http.url -}}
{{- fail "queue.sqs.url and queue.http.url are both set: keep the one that the events go to" -}}
{{- end -}}
{{- if not (or $sqs.url $http.url) -}}
{{- fail "queue.sqs.url or queue.http.url is missing: it says where the events go" -}}
{{- end -}}
{{- include "forwarder.validateUrl" (dict "field" "queue.sqs.url" "url" $sqs.url) -}}
{{- include "forwarder.validateUrl" (dict "field" "queue.http.url" "url" $http.url) -}}
{{- if regexMatch "\\.fifo/*$" $sqs.url -}}
{{- fail "queue.sqs.url must be the URL of the events queue, which is no FIFO queue: the stack's outputs give it as EventsQueueUrl" -}}
{{- end -}}
{{- $host := "^https?://(?:[^/]*\\.)?sqs(?:-fips)?\\.([a-z0-9-]+)\\.[^/]+/.*$" -}}
{{- $region := ternary (regexReplaceAll $host $sqs.url "${1}") "" (regexMatch $host $sqs.url) -}}
{{- if and $sqs.url (not $sqs.region) (not $region) -}}
{{- fail "queue.sqs.region is missing: the URL of the queue does not name it" -}}
{{- end -}}
{{- if and $sqs.region $region (ne $sqs.region $region) -}}
{{- fail (printf "queue.sqs.region is %s, and the URL of the queue names %s: remove it, or give the URL of the queue in that region" $sqs.region $region) -}}
{{- end -}}
{{- if and $sqs.credentialsSecret $sqs.webIdentity.roleArn -}}
{{- fail "queue.sqs.credentialsSecret and queue.sqs.webIdentity.roleArn are both set: keep one of them" -}}
{{- end -}}
{{- if and $http.url (not $http.token) (not $http.tokenSecret.name) -}}
{{- fail "queue.http.tokenSecret.name is missing: name a Secret with the token of this cluster, or give queue.http.token" -}}
{{- end -}}
{{- if and $http.token $http.tokenSecret.name -}}
{{- fail "queue.http.token and queue.http.tokenSecret.name are both set: keep one of them" -}}
{{- end -}}
{{- if and $http.url (not (regexMatch "^https?://[^/?#]+/?$" $http.url)) -}}
{{- fail "queue.http.url must be a URL without a path, such as https://starfold.example.com:8443" -}}
{{- end -}}
{{- if and (hasPrefix "http:" $http.url) (or $http.ca.configMap $http.ca.secret) -}}
{{- fail "queue.http.ca is for https: write https in queue.http.url, or remove ca" -}}
{{- end -}}
{{- if and $http.ca.configMap $http.ca.secret -}}
{{- fail "queue.http.ca.configMap and queue.http.ca.secret are both set: keep one of them" -}}
{{- end -}}
{{- end -}}

{{/* `url` of the value `field`. What is said never quotes it: it would go into a ConfigMap and into logs. */}}
{{- define "forwarder.validateUrl" -}}
{{- if regexMatch "^https?://[^/?#]*@" .url -}}
{{- fail (printf "%s must have no user and no password: remove what is before the @, because the credentials are configured separately" .field) -}}
{{- end -}}
{{- if and .url (not (regexMatch "^https?://(\\[[0-9a-fA-F:.]+\\]|[^][/?#:\\s]+)(:[0-9]{1,5})?([/?#]|$)" .url)) -}}
{{- fail (printf "%s must name a host and, where it needs one, a port by its number, such as https://starfold.example.com:8443" .field) -}}
{{- end -}}
{{- end -}}

{{- define "forwarder.validatePods" -}}
{{- if not .Values.image.repository -}}
{{- fail "image.repository is missing: name the image that you have built and pushed, without its tag (docs/install.md, section 2)" -}}
{{- end -}}
{{- if regexMatch "(@|:[^/]*$)" .Values.image.repository -}}
{{- fail (printf "image.repository is %s: leave out the tag and the digest, which go into image.tag and image.digest" .Values.image.repository) -}}
{{- end -}}
{{- include "forwarder.validateLabels" (dict "field" "podLabels" "labels" .Values.podLabels "own" (list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/part-of")) -}}
{{- $own := include "forwarder.volumes" . | fromYamlArray -}}
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
{{- define "forwarder.validateLabels" -}}
{{- $field := .field -}}
{{- $labels := .labels -}}
{{- range .own -}}
{{- if hasKey $labels . -}}
{{- fail (printf "%s: %s is the chart's own, Deployment, Service and NetworkPolicy go by such labels: remove it" $field .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "forwarder.validateInstallation" -}}
{{- $election := .Values.leaderElection -}}
{{- if and $election.enabled (not (regexMatch "^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$" (include "forwarder.lease" .))) -}}
{{- fail (printf "leaderElection.name is missing: source.name %s makes no name of a Lease" .Values.source.name) -}}
{{- end -}}
{{- $retries := mulf 1.2 $election.retryPeriodSeconds -}}
{{- if or (le (float64 $election.leaseDurationSeconds) (float64 $election.renewDeadlineSeconds)) (le (float64 $election.renewDeadlineSeconds) $retries) -}}
{{- fail "leaderElection: leaseDurationSeconds must be longer than renewDeadlineSeconds, and that longer than 1.2 times retryPeriodSeconds: a leader stops before another one starts" -}}
{{- end -}}
{{- if and (not $election.enabled) (gt (int .Values.replicas) 1) -}}
{{- fail "replicas must be 1 while leaderElection.enabled is false: nothing keeps two forwarders apart" -}}
{{- end -}}
{{- if and .Values.accessOnly .Values.kubernetes.kubeconfigSecret.name -}}
{{- fail "accessOnly and kubernetes.kubeconfigSecret.name are both set: the first is for the cluster that is watched, the second for the one that the forwarder runs in" -}}
{{- end -}}
{{- if and .Values.accessOnly (not .Values.serviceAccount.create) -}}
{{- fail "serviceAccount.create must be true with accessOnly: the token is that of the account" -}}
{{- end -}}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.name is missing: serviceAccount.create is false, so name the account that there is" -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.service.enabled) -}}
{{- fail "metrics.service.enabled must be true with metrics.serviceMonitor.enabled: the ServiceMonitor selects the Service" -}}
{{- end -}}
{{- end -}}
